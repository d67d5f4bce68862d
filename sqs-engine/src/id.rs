//! Everything the engine makes up: message ids, receipt handles, tokens.
//!
//! All of it follows from the seed and a counter, so that the same commands give the same answers.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest, Sha256};

use crate::time::Timestamp;

/// The id of a message: a version 4 UUID, which stays with the message for its whole life.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId([u8; 16]);

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // In one piece: ids are written with each message, and digit by digit they would cost more than it.
        let mut digits = [0; 32];
        hex::encode_to_slice(self.0, &mut digits).map_err(|_| fmt::Error)?;
        let mut text = [b'-'; 36];
        for (from, to) in [
            (0..8, 0),
            (8..12, 9),
            (12..16, 14),
            (16..20, 19),
            (20..32, 24),
        ] {
            text[to..to + from.len()].copy_from_slice(&digits[from]);
        }
        f.write_str(str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is no message id, for it is not a UUID as this crate writes them: 32 digits of
/// lower-case hexadecimal in groups of 8, 4, 4, 4 and 12.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageIdError;

impl fmt::Display for MessageIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a message id is a UUID in lower case, like 01234567-89ab-4cde-8f01-23456789abcd",
        )
    }
}

impl std::error::Error for MessageIdError {}

/// Reads what `Display` writes.
///
/// ```
/// use sqs_engine::MessageId;
///
/// let id: MessageId = "01234567-89ab-4cde-8f01-23456789abcd".parse()?;
/// assert_eq!(id.to_string(), "01234567-89ab-4cde-8f01-23456789abcd");
/// assert!("01234567".parse::<MessageId>().is_err());
/// # Ok::<(), sqs_engine::MessageIdError>(())
/// ```
impl FromStr for MessageId {
    type Err = MessageIdError;

    fn from_str(text: &str) -> Result<Self, MessageIdError> {
        let digits: String = text.split('-').collect();
        let mut bytes = [0; 16];
        hex::decode_to_slice(&digits, &mut bytes).map_err(|_| MessageIdError)?;
        let id = Self(bytes);
        // The one way in which it is written: hyphens in their places, letters in lower case.
        if id.to_string() == text {
            Ok(id)
        } else {
            Err(MessageIdError)
        }
    }
}

impl Serialize for MessageId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MessageId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// The 16 bytes, for a snapshot.
pub(crate) mod message_id {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        id: &MessageId,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        id.0.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<MessageId, D::Error> {
        <[u8; 16]>::deserialize(deserializer).map(MessageId)
    }
}

/// One life of a queue. A queue that is deleted and created again under its name has another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct QueueId(pub(crate) u64);

/// Where a message stands in its queue. Ordered by the time from which its retention runs, and for
/// equal times by arrival: the order in which messages expire and in which they are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct MessageKey {
    pub(crate) enqueued_at: Timestamp,
    pub(crate) arrival: u64,
}

impl MessageKey {
    /// The number that FIFO's senders and receivers see: it grows as the keys of a queue do.
    pub(crate) fn sequence_number(self) -> SequenceNumber {
        SequenceNumber::new(self.arrival)
    }
}

/// The `SequenceNumber` of a message in a FIFO queue: 20 digits, and greater than those of all
/// messages before it in its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct SequenceNumber(u64);

impl SequenceNumber {
    /// Which message's number a text is. `None` if it is none.
    pub(crate) fn arrival(text: &str) -> Option<u64> {
        let number: u128 = text.parse().ok()?;
        let arrival = number.checked_sub(SEQUENCE_START)? / SEQUENCE_STEP;
        u64::try_from(arrival).ok()
    }

    pub(crate) fn new(arrival: u64) -> Self {
        Self(arrival)
    }
}

impl fmt::Display for SequenceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = SEQUENCE_START + u128::from(self.0) * SEQUENCE_STEP;
        write!(f, "{number}")
    }
}

/// What a receipt handle stands for: one delivery of one message.
///
/// A handle must be recognised long after its message is gone, so it carries all of this itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Receipt {
    pub(crate) queue: QueueId,
    pub(crate) message: MessageKey,
    /// The how-manieth delivery of the message this was, from 1.
    pub(crate) delivery: u32,
    pub(crate) received_at: Timestamp,
}

/// The seeded source of ids, and the seal on handles and tokens.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct IdSource {
    seed: u64,
    messages: u64,
    queues: u64,
    tasks: u64,
}

impl IdSource {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            seed,
            messages: 0,
            queues: 0,
            tasks: 0,
        }
    }

    /// A message id that this source has not given before.
    pub(crate) fn next_message(&mut self) -> MessageId {
        self.messages += 1;
        self.uuid("message id", self.messages - 1)
    }

    /// The id of a new move task, a UUID as well.
    pub(crate) fn next_task(&mut self) -> String {
        self.tasks += 1;
        self.uuid("task id", self.tasks).to_string()
    }

    fn uuid(&self, purpose: &str, number: u64) -> MessageId {
        let hash = self.hash(purpose, &[&number.to_be_bytes()]);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash[..16]);
        // RFC 9562, section 5.4: the version in the high bits of octet 6, the variant in those of octet 8.
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        MessageId(bytes)
    }

    /// The id of a queue's new life.
    pub(crate) fn next_queue(&mut self) -> QueueId {
        self.queues += 1;
        QueueId(self.queues)
    }

    /// Writes a receipt of this message as the opaque handle that a client sees.
    pub(crate) fn handle(&self, receipt: Receipt, message: MessageId) -> String {
        let mut bytes = [0; HANDLE_LEN];
        bytes[..3].copy_from_slice(&HANDLE_MARK);
        bytes[3..11].copy_from_slice(&receipt.queue.0.to_be_bytes());
        bytes[11..19].copy_from_slice(&receipt.message.enqueued_at.as_millis().to_be_bytes());
        bytes[19..27].copy_from_slice(&receipt.message.arrival.to_be_bytes());
        bytes[27..31].copy_from_slice(&receipt.delivery.to_be_bytes());
        bytes[31..39].copy_from_slice(&receipt.received_at.as_millis().to_be_bytes());
        bytes[39..55].copy_from_slice(&message.0);
        let seal = self.hash("receipt handle", &[&bytes[..HANDLE_SEAL_AT]]);
        bytes[HANDLE_SEAL_AT..].copy_from_slice(&seal);
        BASE64.encode(bytes)
    }

    /// Reads a handle back. `None` if this source did not write it, byte for byte.
    pub(crate) fn receipt(&self, handle: &str) -> Option<Receipt> {
        Some(self.receipt_of(handle)?.0)
    }

    /// Reads a handle back, together with the id of its message.
    pub(crate) fn receipt_of(&self, handle: &str) -> Option<(Receipt, MessageId)> {
        if handle.len() != HANDLE_TEXT_LEN {
            return None;
        }
        let bytes: [u8; HANDLE_LEN] = BASE64.decode(handle).ok()?.try_into().ok()?;
        let seal = self.hash("receipt handle", &[&bytes[..HANDLE_SEAL_AT]]);
        if bytes[..3] != HANDLE_MARK || !same_bytes(&seal, &bytes[HANDLE_SEAL_AT..]) {
            return None;
        }
        let receipt = Receipt {
            queue: QueueId(u64::from_be_bytes(field(&bytes[3..11])?)),
            message: MessageKey {
                enqueued_at: Timestamp::from_millis(i64::from_be_bytes(field(&bytes[11..19])?)),
                arrival: u64::from_be_bytes(field(&bytes[19..27])?),
            },
            delivery: u32::from_be_bytes(field(&bytes[27..31])?),
            received_at: Timestamp::from_millis(i64::from_be_bytes(field(&bytes[31..39])?)),
        };
        Some((receipt, MessageId(field(&bytes[39..55])?)))
    }

    /// Writes the place at which a listing goes on as an opaque token, good for that `listing` only.
    pub(crate) fn token(&self, listing: &str, place: &str) -> String {
        let seal = self.hash("token", &[listing.as_bytes(), place.as_bytes()]);
        let mut bytes = seal[..TOKEN_SEAL_LEN].to_vec();
        bytes.extend_from_slice(place.as_bytes());
        BASE64.encode(bytes)
    }

    /// Reads a token back. `None` if this source did not write it for this `listing`.
    pub(crate) fn place(&self, listing: &str, token: &str) -> Option<String> {
        let bytes = BASE64.decode(token).ok()?;
        let (seal, place) = bytes.split_at_checked(TOKEN_SEAL_LEN)?;
        let hash = self.hash("token", &[listing.as_bytes(), place]);
        if !same_bytes(&hash[..TOKEN_SEAL_LEN], seal) {
            return None;
        }
        String::from_utf8(place.to_vec()).ok()
    }

    /// SHA-256 over the seed, the purpose and the parts, each after its length so that no two
    /// different lists of parts read the same.
    fn hash(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.seed.to_be_bytes());
        for part in std::iter::once(&purpose.as_bytes()).chain(parts) {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        hash.finalize().into()
    }
}

/// Compares without stopping at the first difference, so that a seal cannot be guessed byte by byte.
fn same_bytes(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len()
        && left
            .iter()
            .zip(right)
            .fold(0, |diff, (a, b)| diff | (a ^ b))
            == 0
}

fn field<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.try_into().ok()
}

/// Base64 of this is `AQEB`, with which every handle of AWS's begins.
const HANDLE_MARK: [u8; 3] = [1, 1, 1];
/// Mark 3, queue 8, time 8, arrival 8, delivery 4, receive time 8, message id 16. With the seal it is
/// a multiple of three, so that base64 needs no padding.
const HANDLE_SEAL_AT: usize = 55;
const HANDLE_LEN: usize = HANDLE_SEAL_AT + 32;
const HANDLE_TEXT_LEN: usize = HANDLE_LEN / 3 * 4;
const TOKEN_SEAL_LEN: usize = 16;
/// AWS's numbers begin with 188 and have 20 digits, more than 64 bits hold.
const SEQUENCE_START: u128 = 18_870_000_000_000_000_000;
/// AWS's are not consecutive; they go up by multiples of 256.
const SEQUENCE_STEP: u128 = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn receipt() -> Receipt {
        Receipt {
            queue: QueueId(7),
            message: MessageKey {
                enqueued_at: Timestamp::from_millis(1_700_000_000_123),
                arrival: 42,
            },
            delivery: 3,
            received_at: Timestamp::from_millis(-5),
        }
    }

    #[test]
    fn message_ids_are_version_4_uuids_and_follow_from_the_seed() {
        let (mut one, mut same, mut other) = (IdSource::new(1), IdSource::new(1), IdSource::new(2));
        let first = one.next_message().to_string();
        assert_eq!(first, same.next_message().to_string());
        assert_ne!(first, other.next_message().to_string());
        assert_ne!(first, one.next_message().to_string());
        assert_eq!(first.len(), 36);
        assert_eq!(&first[14..15], "4");
        assert!("89ab".contains(&first[19..20]));
    }

    #[test]
    fn a_message_id_is_read_as_it_is_written_and_no_other_way() {
        let id = IdSource::new(1).next_message();
        let text = id.to_string();
        assert_eq!(text.parse(), Ok(id));
        for other in [
            text.to_uppercase(),
            text.replace('-', ""),
            format!("{text}-"),
            format!("-{text}"),
            text[1..].to_owned(),
            String::new(),
            "é".repeat(18),
        ] {
            assert_eq!(other.parse::<MessageId>(), Err(MessageIdError), "{other}");
        }
    }

    #[test]
    fn a_handle_reads_back_and_looks_like_one() {
        let mut ids = IdSource::new(9);
        let message = ids.next_message();
        let handle = ids.handle(receipt(), message);
        assert!(handle.starts_with("AQEB"));
        assert_eq!(handle.len(), 116);
        assert!(!handle.contains('='));
        assert_eq!(ids.receipt(&handle), Some(receipt()));
        assert_eq!(ids.receipt_of(&handle), Some((receipt(), message)));
    }

    #[test]
    fn a_handle_of_another_seed_is_refused() {
        let handle = IdSource::new(9).handle(receipt(), MessageId([5; 16]));
        assert_eq!(IdSource::new(10).receipt(&handle), None);
    }

    #[test]
    fn sequence_numbers_have_20_digits_and_grow() {
        let number = |arrival| SequenceNumber::new(arrival).to_string();
        assert_eq!(number(0), "18870000000000000000");
        assert_eq!(number(1), "18870000000000000256");
        // After a thousand million million messages.
        assert_eq!(number(1_000_000_000_000_000).len(), 20);
        // And beyond all reason nothing overflows.
        assert!(!number(u64::MAX).is_empty());
    }

    #[test]
    fn a_token_is_good_for_its_listing_only() {
        let ids = IdSource::new(9);
        let token = ids.token("queues", "orders");
        assert_eq!(ids.place("queues", &token).as_deref(), Some("orders"));
        assert_eq!(ids.place("sources", &token), None);
        assert_eq!(ids.place("queues", ""), None);
        assert_eq!(ids.place("queues", "AAAA"), None);
    }

    proptest! {
        #[test]
        fn any_changed_character_makes_a_handle_undecodable(at in 0usize..116, with in "[ -~]") {
            let ids = IdSource::new(9);
            let handle = ids.handle(receipt(), MessageId([5; 16]));
            let mut forged = handle.clone();
            forged.replace_range(at..=at, &with);
            prop_assume!(forged != handle);
            prop_assert_eq!(ids.receipt(&forged), None);
        }

        #[test]
        fn any_text_is_refused_without_harm(text in ".*") {
            let ids = IdSource::new(9);
            prop_assert_eq!(ids.receipt(&text), None);
            prop_assert_eq!(ids.place("queues", &text), None);
        }
    }
}
