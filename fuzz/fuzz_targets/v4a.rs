//! See `fuzz::v4a`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::v4a(data));
