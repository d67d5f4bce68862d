//! See `fuzz::round_trip`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::round_trip(data));
