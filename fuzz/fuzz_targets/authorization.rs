//! See `fuzz::authorization`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::authorization(data));
