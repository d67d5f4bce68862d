//! The one place in this crate that guesses: for jitter, and for the ids of calls.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;

/// Where random numbers come from.
#[derive(Clone, Default)]
pub(super) struct Random(Option<Arc<dyn Fn() -> u64 + Send + Sync>>);

impl Random {
    pub(super) fn new(source: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(source)))
    }

    /// A number from 0 to below 1.
    pub(super) fn fraction(&self) -> f64 {
        // As many bits as the number can hold: all that are shifted out are lost anyway.
        let bits = u32::try_from(self.bits() >> 32).unwrap_or(u32::MAX);
        f64::from(bits) / (f64::from(u32::MAX) + 1.0)
    }

    /// A random UUID (RFC 9562, version 4) as text.
    pub(super) fn uuid(&self) -> [u8; 36] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.bits().to_be_bytes());
        bytes[8..].copy_from_slice(&self.bits().to_be_bytes());
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let mut text = [b'-'; 36];
        let mut places = (0..text.len()).filter(|place| ![8, 13, 18, 23].contains(place));
        for byte in bytes {
            for digit in [byte >> 4, byte & 15] {
                if let Some(place) = places.next() {
                    text[place] = b"0123456789abcdef"[usize::from(digit)];
                }
            }
        }
        text
    }

    fn bits(&self) -> u64 {
        match &self.0 {
            Some(source) => source(),
            // The keys of a map's hasher are random, and new for each: from the system for each
            // thread's first, then counted on, which SipHash hides.
            None => RandomState::new().hash_one(0_u8),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_fraction_is_from_0_to_below_1() {
        for (bits, fraction) in [(0, 0.0), (1 << 63, 0.5), (1 << 62, 0.25)] {
            assert_eq!(Random::new(move || bits).fraction(), fraction);
        }
        let largest = Random::new(|| u64::MAX).fraction();
        assert!(largest < 1.0 && largest > 0.999_999);
    }

    #[test]
    fn a_uuid_has_its_version_and_variant() {
        let zero = Random::new(|| 0).uuid();
        assert_eq!(&zero, b"00000000-0000-4000-8000-000000000000");
        let ones = Random::new(|| u64::MAX).uuid();
        assert_eq!(&ones, b"ffffffff-ffff-4fff-bfff-ffffffffffff");
        let digits = Random::new(|| 0x0123_4567_89ab_cdef).uuid();
        assert_eq!(&digits, b"01234567-89ab-4def-8123-456789abcdef");
    }

    #[test]
    fn random_numbers_differ_and_spread() {
        let random = Random::default();
        let uuids: HashSet<_> = (0..10_000).map(|_| random.uuid()).collect();
        assert_eq!(uuids.len(), 10_000);
        // Each tenth of the range gets about a tenth, by more than ten standard deviations.
        let mut tenths = [0; 10];
        for _ in 0..10_000 {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a number from 0 to below 10"
            )]
            let tenth = (random.fraction() * 10.0) as usize;
            tenths[tenth] += 1;
        }
        assert!(
            tenths.iter().all(|count| (600..1400).contains(count)),
            "{tenths:?}"
        );
    }
}
