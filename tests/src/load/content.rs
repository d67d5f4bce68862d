//! What stands in a message: who sent it, its number, and text that follows from the two.

use std::fmt;

/// The shortest body that has room for a stamp, in bytes.
pub const SIZE_MIN: usize = 23;

/// The longest body, in bytes: 1 MiB, which is SQS's own limit.
pub const SIZE_MAX: usize = 1024 * 1024;

/// The period of the text that fills a body.
const PERIOD: usize = 64;

/// Printable, and nothing in it has to be escaped in JSON.
const PATTERN: &[u8; PERIOD] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,";

/// Which message it is: the lane that it was sent on, and its number there, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    /// The lane.
    pub lane: u16,
    /// The number.
    pub number: u32,
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message {} of sender {}", self.number, self.lane)
    }
}

/// Makes the bodies of one run, all of one size, and knows them again.
#[derive(Clone, Debug)]
pub struct Content {
    run: u32,
    size: usize,
    fill: String,
}

/// Why a body is none of those that were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strange {
    /// It is not of this run.
    Foreign,
    /// It is this message, and it was changed.
    Altered(Stamp),
}

impl Content {
    /// Bodies of that many bytes, but at least [`SIZE_MIN`], for a run of that number.
    #[must_use]
    pub fn new(run: u32, size: usize) -> Self {
        let size = size.max(SIZE_MIN);
        let text = PATTERN.iter().cycle().map(|byte| char::from(*byte));
        Self {
            run,
            size,
            fill: text.take(size - SIZE_MIN + PERIOD).collect(),
        }
    }

    /// The length of each body in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Appends the body of a message.
    pub fn write(&self, stamp: Stamp, out: &mut String) {
        let Stamp { lane, number } = stamp;
        hex(u64::from(self.run), 8, out);
        out.push('-');
        hex(u64::from(lane), 4, out);
        out.push('-');
        hex(u64::from(number), 8, out);
        out.push('-');
        out.push_str(self.fill(number));
    }

    /// Whose body this is.
    ///
    /// # Errors
    ///
    /// When it is none that [`write`](Self::write) makes.
    pub fn read(&self, body: &str) -> Result<Stamp, Strange> {
        let bytes = body.as_bytes();
        let (Some(head), Some(fill)) = (bytes.get(..SIZE_MIN), bytes.get(SIZE_MIN..)) else {
            return Err(Strange::Foreign);
        };
        let is_separated = head[8] == b'-' && head[13] == b'-' && head[22] == b'-';
        let (run, lane, number) = (unhex(&head[..8]), unhex(&head[9..13]), unhex(&head[14..22]));
        let (Some(run), Some(lane), Some(number), true) = (run, lane, number, is_separated) else {
            return Err(Strange::Foreign);
        };
        // Four digits are sixteen bits.
        let lane = u16::try_from(lane).map_err(|_| Strange::Foreign)?;
        if run != self.run {
            return Err(Strange::Foreign);
        }
        let stamp = Stamp { lane, number };
        if fill != self.fill(number).as_bytes() {
            return Err(Strange::Altered(stamp));
        }
        Ok(stamp)
    }

    /// Each number has its own beginning in the pattern, so that bodies that are mixed up are found.
    fn fill(&self, number: u32) -> &str {
        let from = number as usize % PERIOD;
        &self.fill[from..from + self.size - SIZE_MIN]
    }
}

fn hex(value: u64, digits: u32, out: &mut String) {
    for digit in (0..digits).rev() {
        let nibble = value >> (4 * digit) & 0xf;
        // A nibble is always a digit.
        out.extend(
            u32::try_from(nibble)
                .ok()
                .and_then(|n| char::from_digit(n, 16)),
        );
    }
}

fn unhex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0_u32, |value, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        Some(value << 4 | digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAMP: Stamp = Stamp {
        lane: 0xab,
        number: 0x1_0005,
    };

    fn body(content: &Content, stamp: Stamp) -> String {
        let mut body = String::new();
        content.write(stamp, &mut body);
        body
    }

    #[test]
    fn a_body_has_its_size_and_is_known_again() {
        for size in [SIZE_MIN, 64, 1_024, 262_144] {
            let content = Content::new(7, size);
            let body = body(&content, STAMP);
            assert_eq!(body.len(), size);
            assert!(body.starts_with("00000007-00ab-00010005-"), "{body}");
            assert_eq!(content.read(&body), Ok(STAMP));
        }
    }

    #[test]
    fn a_change_anywhere_is_found() {
        let content = Content::new(7, 100);
        let right = body(&content, STAMP);
        for at in 0..right.len() {
            let mut wrong = right.clone();
            let other = if right.as_bytes()[at] == b'1' {
                "2"
            } else {
                "1"
            };
            wrong.replace_range(at..=at, other);
            let read = content.read(&wrong);
            assert_ne!(read, Ok(STAMP), "at {at}");
            if at >= SIZE_MIN {
                assert_eq!(read, Err(Strange::Altered(STAMP)), "at {at}");
            }
        }
        for wrong in [
            &right[..99],
            &format!("{right}x"),
            "",
            "é",
            &right[..SIZE_MIN - 1],
        ] {
            assert!(content.read(wrong).is_err(), "{wrong}");
        }
        let next = Stamp {
            number: STAMP.number + 1,
            ..STAMP
        };
        let mixed = format!(
            "{}{}",
            &right[..SIZE_MIN],
            &body(&content, next)[SIZE_MIN..]
        );
        assert_eq!(content.read(&mixed), Err(Strange::Altered(STAMP)));
    }

    #[test]
    fn another_runs_body_is_foreign() {
        let theirs = body(&Content::new(8, 100), STAMP);
        assert_eq!(Content::new(7, 100).read(&theirs), Err(Strange::Foreign));
    }
}
