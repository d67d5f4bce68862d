//! A small source of choices: seeded (SplitMix64), so that a run follows from its seed, or given, so
//! that a fuzzer makes them.

pub(crate) struct Rng {
    state: u64,
    /// What is given and not yet used, the last first.
    given: Vec<u8>,
}

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            state: seed,
            given: Vec::new(),
        }
    }

    /// Each byte is a choice; when they are used up, the rest follows from nothing else.
    pub(crate) fn given(bytes: &[u8]) -> Self {
        Self {
            state: 0,
            given: bytes.iter().rev().copied().collect(),
        }
    }

    /// Whether no given choice is left.
    pub(crate) fn is_used_up(&self) -> bool {
        self.given.is_empty()
    }

    /// A number from 0 to `below`, which is not among them.
    pub(crate) fn below(&mut self, below: u64) -> u64 {
        self.next() % below
    }

    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.index(choices.len())]
    }

    /// An index into what has that length.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).expect("an index")
    }

    fn next(&mut self) -> u64 {
        if let Some(byte) = self.given.pop() {
            return u64::from(byte);
        }
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

impl From<u64> for Rng {
    fn from(seed: u64) -> Self {
        Self::new(seed)
    }
}
