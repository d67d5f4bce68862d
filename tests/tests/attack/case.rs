//! A row of a table of attacks.

/// An attack.
pub(crate) struct Case {
    pub(crate) name: String,
    /// What is sent, on a connection of its own.
    pub(crate) bytes: Vec<u8>,
    pub(crate) finish: Finish,
    pub(crate) expected: Expected,
}

/// What follows the bytes of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    /// A good request on the same connection: its answer shows that the connection goes on, and that
    /// both sides agree on where the attack ended.
    Probe,
    /// Nothing: the client says that it has sent everything, and reads on.
    HalfClose,
}

/// What must come back.
#[derive(Debug)]
pub(crate) struct Expected {
    /// A status for each answer, or [`REFUSED`], and words that its head or body has.
    pub(crate) answers: Vec<(u16, &'static str)>,
    pub(crate) then: Then,
}

/// Any status of the 400s, where which one it is depends on the byte that was changed.
pub(crate) const REFUSED: u16 = 4;

/// What becomes of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// It goes on.
    Open,
    /// The server closes it.
    Closed,
}

impl Case {
    pub(crate) fn new(
        name: impl Into<String>,
        bytes: impl Into<Vec<u8>>,
        expected: Expected,
    ) -> Self {
        Self {
            name: name.into(),
            bytes: bytes.into(),
            finish: Finish::Probe,
            expected,
        }
    }

    /// Nothing comes after it.
    pub(crate) fn and_no_more(mut self) -> Self {
        self.finish = Finish::HalfClose;
        self
    }
}

/// One answer, after which the connection goes on.
pub(crate) fn answered(status: u16, words: &'static str) -> Expected {
    Expected {
        answers: vec![(status, words)],
        then: Then::Open,
    }
}

/// One answer, and the connection is closed.
pub(crate) fn closed(status: u16, words: &'static str) -> Expected {
    Expected {
        answers: vec![(status, words)],
        then: Then::Closed,
    }
}

/// The connection is closed without an answer.
pub(crate) fn dropped() -> Expected {
    Expected {
        answers: Vec::new(),
        then: Then::Closed,
    }
}
