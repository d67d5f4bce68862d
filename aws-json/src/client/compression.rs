//! Inputs that are sent compressed.

use std::io::Write;

use bytes::Bytes;
use flate2::write::GzEncoder;

/// From how many bytes on an input is compressed, unless
/// [`Builder::compression`](super::Builder::compression) or the environment says otherwise.
pub const COMPRESSION_MIN: usize = 10_240;

/// The largest such number that the environment may give.
pub(super) const COMPRESSION_MIN_LIMIT: usize = 10_485_760;

/// Which inputs are sent as gzip, of operations that [take it](super::Operation::TAKES_GZIP).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Those of at least so many bytes of JSON. The default is [`COMPRESSION_MIN`].
    From(usize),
    /// None.
    Off,
}

impl Default for Compression {
    fn default() -> Self {
        Self::From(COMPRESSION_MIN)
    }
}

impl Compression {
    /// What is sent for an input, and the value of `Content-Encoding` if that is not the input
    /// itself.
    pub(super) fn apply(self, input: Bytes) -> (Bytes, Option<&'static str>) {
        match self {
            Self::From(least) if input.len() >= least => match gzip(&input) {
                Some(compressed) => (compressed, Some("gzip")),
                None => (input, None),
            },
            Self::From(_) | Self::Off => (input, None),
        }
    }
}

/// None would be an error of writing to memory, which there is not.
fn gzip(input: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(input).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn an_input_is_compressed_from_its_size_on() {
        for (compression, len, encoding) in [
            (Compression::default(), COMPRESSION_MIN - 1, None),
            (Compression::default(), COMPRESSION_MIN, Some("gzip")),
            (Compression::From(0), 0, Some("gzip")),
            (Compression::From(1), 0, None),
            (Compression::Off, 1 << 20, None),
        ] {
            let input = Bytes::from("ab".repeat(len)[..len].to_owned());
            let (sent, said) = compression.apply(input.clone());
            assert_eq!(said, encoding, "{compression:?} {len}");
            if encoding.is_none() {
                assert_eq!(sent, input);
                continue;
            }
            let mut read = Vec::new();
            let mut decoder = flate2::read::GzDecoder::new(&sent[..]);
            decoder.read_to_end(&mut read).unwrap();
            assert_eq!(read, input);
            assert!(len == 0 || sent.len() < len / 10, "{}", sent.len());
        }
    }
}
