//! See `fuzz::path`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::path(data));
