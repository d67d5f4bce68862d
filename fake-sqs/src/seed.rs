//! Where ids come from: a seed, given or drawn, and what is derived from it.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// The odd constant by which SplitMix64 steps (the golden ratio in 64 bits).
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// How a server comes by its seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seed {
    /// The same every time, also after a reset: the same calls get the same ids.
    Given(u64),
    /// Another one every time, so that a receipt handle from before a reset fits nothing after it.
    Drawn,
}

impl Seed {
    /// The seed of a new engine.
    pub(crate) fn value(self) -> u64 {
        match self {
            Self::Given(seed) => seed,
            Self::Drawn => draw(),
        }
    }
}

/// Request ids: version 4 UUIDs, each different from all others of one server.
///
/// They are no secrets, only names, so SplitMix64 over a counter serves: it maps every 64-bit
/// counter to another value, needs no lock, and no further dependency.
#[derive(Debug)]
pub(crate) struct RequestIds {
    seed: u64,
    issued: AtomicU64,
}

impl RequestIds {
    /// The ids that follow from a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            seed,
            issued: AtomicU64::new(0),
        }
    }

    /// The next id.
    pub(crate) fn next(&self) -> RequestId {
        let n = self.issued.fetch_add(1, Ordering::Relaxed);
        let high = mix(self.seed.wrapping_add(n.wrapping_mul(STEP)));
        RequestId {
            high,
            low: mix(high ^ n),
        }
    }
}

/// The id of one request; displays as a UUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RequestId {
    high: u64,
    low: u64,
}

impl fmt::Display for RequestId {
    /// Written in one piece, so that a text of it need not grow: each request's id becomes one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // RFC 9562, section 5.4: four bits say "version 4", two bits say "this variant".
        let high = self.high & !0xf000 | 0x4000;
        let low = self.low & !(0b11 << 62) | 0b10 << 62;
        let mut digits = u128::from(high) << 64 | u128::from(low);
        let mut text = [b'-'; 36];
        let places = (0..text.len()).filter(|place| ![8, 13, 18, 23].contains(place));
        for place in places {
            digits = digits.rotate_left(4);
            text[place] = b"0123456789abcdef"[(digits & 0xf) as usize];
        }
        f.write_str(str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

/// A number that follows from a seed and from these, and in which neither is to be seen.
pub(crate) fn drawn(seed: u64, from: impl IntoIterator<Item = u64>) -> u64 {
    let step = |drawn: u64, next: u64| mix(drawn.wrapping_add(STEP) ^ mix(next.wrapping_add(STEP)));
    from.into_iter().fold(mix(seed), step)
}

/// A number as a share: from 0 up to, but not, 1.
pub(crate) fn fraction(number: u64) -> f64 {
    // As many bits as a float has.
    (number >> 11) as f64 / (1_u64 << 53) as f64
}

/// A seed that nobody can foresee: the standard library keys its hash maps from the system's
/// random source, and the hash of nothing under such keys is as random as the keys.
fn draw() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// The output function of SplitMix64 (Steele, Lea and Flood, 2014).
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn mixes_as_published() {
        // The first three outputs of SplitMix64 for the seed 1234567.
        let outputs = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        for (n, output) in (1..).zip(outputs) {
            assert_eq!(
                mix(1_234_567_u64.wrapping_add(STEP.wrapping_mul(n))),
                output
            );
        }
    }

    #[test]
    fn request_ids_are_uuids_and_differ() {
        let ids = RequestIds::new(7);
        let texts: HashSet<String> = (0..1_000).map(|_| ids.next().to_string()).collect();
        assert_eq!(texts.len(), 1_000);
        for text in &texts {
            let shape: String = text
                .chars()
                .map(|c| if c.is_ascii_hexdigit() { 'x' } else { c })
                .collect();
            assert_eq!(shape, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
            assert_eq!(&text[14..15], "4");
            assert!(matches!(&text[19..20], "8" | "9" | "a" | "b"), "{text}");
        }
    }

    #[test]
    fn one_seed_gives_the_same_ids_again() {
        let (first, second) = (RequestIds::new(3), RequestIds::new(3));
        assert_eq!(first.next(), second.next());
        assert_eq!(first.next(), second.next());
        assert_ne!(RequestIds::new(4).next(), RequestIds::new(3).next());
    }

    #[test]
    fn what_is_drawn_is_spread_evenly() {
        let below = |share: f64| {
            let drawn = (0..10_000).map(|n| fraction(drawn(7, [1, n])));
            drawn.filter(|drawn| *drawn < share).count()
        };
        for (share, expected) in [(0.1, 1_000), (0.5, 5_000), (0.9, 9_000)] {
            assert!(below(share).abs_diff(expected) < 200, "{}", below(share));
        }
        assert_eq!(below(1.0), 10_000);
        assert!(fraction(u64::MAX) < 1.0);
        assert_ne!(drawn(7, [1, 2]), drawn(7, [2, 1]));
        assert_ne!(drawn(7, [1]), drawn(8, [1]));
    }

    #[test]
    fn a_given_seed_stays_and_a_drawn_one_changes() {
        assert_eq!(Seed::Given(5).value(), 5);
        assert_ne!(Seed::Drawn.value(), Seed::Drawn.value());
    }
}
