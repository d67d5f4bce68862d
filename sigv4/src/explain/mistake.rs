//! The mistakes that are known, each by name.

use crate::settings::PathNormalization;
use crate::time::DateTime;

/// One thing that went wrong between the signer and the verifier. `Display` says what happened,
/// [`advice`](Self::advice) what to do.
///
/// Texts that came with the request stand in here at most 255 bytes long, and `Display` escapes
/// them. No secret, session token, or computed signature is ever among them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mistake {
    // The host.
    /// Another host was signed than the one that arrived: something on the way rewrote `Host`.
    HostRewritten {
        /// What was signed.
        signed: String,
        /// What arrived.
        received: String,
        /// How the signed one became known.
        source: HostSource,
    },
    /// The host was signed with a port and arrived without.
    PortDropped {
        /// What was signed.
        signed: String,
        /// What arrived.
        received: String,
    },
    /// The host was signed without a port and arrived with one.
    PortAdded {
        /// What was signed.
        signed: String,
        /// What arrived.
        received: String,
    },
    /// The host was signed in other upper and lower case.
    HostCase {
        /// What was signed.
        signed: String,
        /// What arrived.
        received: String,
    },
    /// An empty host was signed: the signer had none when it signed.
    HostEmpty,
    /// `host` is not among the signed headers.
    HostNotSigned,

    // The method, the path.
    /// Another method was signed.
    Method {
        /// What was signed.
        signed: String,
        /// What arrived.
        received: String,
    },
    /// The method that arrived is no HTTP token.
    MethodMalformed,
    /// The path was signed in another spelling.
    PathEncoding {
        /// How it was signed.
        signed: PathSpelling,
        /// How the verifier's settings have it.
        right: PathSpelling,
    },
    /// The path's `.`, `..` and empty segments were treated otherwise.
    PathNormalization {
        /// How it was signed.
        signed: PathNormalization,
    },
    /// Another path was signed than the one that arrived.
    PathRewritten {
        /// What was signed.
        signed: String,
        /// What arrived.
        received: String,
    },
    /// `%XX` was written with lower-case digits in the canonical request.
    LowerCaseHex {
        /// Where.
        part: EncodedPart,
    },

    // The query.
    /// The query's parameters were signed in another order.
    QueryOrder {
        /// In which.
        signed: QueryOrder,
    },
    /// The query's parameters were signed in another spelling.
    QuerySpelling {
        /// In which.
        signed: QuerySpelling,
    },
    /// A key without `=` was signed without it.
    QueryEqualsMissing,
    /// A parameter was added after signing.
    QueryParameterAdded {
        /// Its key as on the wire.
        key: String,
    },
    /// An empty query was signed.
    QueryNotSigned,

    // The headers.
    /// White space in a header's value was signed otherwise than as one space.
    HeaderSpace {
        /// The header.
        name: String,
        /// How it was signed.
        signed: HeaderSpace,
    },
    /// A header's several values were signed joined otherwise than by a comma alone.
    HeaderJoin {
        /// The header.
        name: String,
        /// How they were signed.
        signed: HeaderJoin,
    },
    /// A header was signed with another value.
    HeaderChanged {
        /// The header.
        name: String,
        /// The value that was signed.
        signed: String,
        /// The value that arrived.
        received: String,
    },
    /// A header was signed and did not arrive.
    HeaderRemoved {
        /// The header.
        name: String,
        /// The value that was signed, if one of those tried is.
        signed: Option<String>,
    },
    /// An `x-amz-*` header arrived and is not among the signed ones.
    HeaderAdded {
        /// The header.
        name: String,
    },
    /// `SignedHeaders` names a header that the signature does not cover.
    HeaderListed {
        /// The header.
        name: String,
    },
    /// The signature covers a header that `SignedHeaders` does not name.
    HeaderUnlisted {
        /// The header.
        name: String,
    },
    /// The session token was added after signing.
    SessionTokenUnsigned,

    // The body.
    /// The hash of another body was signed, of one that is known.
    Payload {
        /// What was signed.
        signed: SignedPayload,
    },
    /// The body is another one than was signed: `x-amz-content-sha256` states the hash of that one.
    BodyChanged {
        /// The length in bytes of the body that arrived.
        received_length: usize,
    },
    /// `x-amz-content-sha256` is wrong: the body that arrived is the one that was signed.
    PayloadHeaderChanged,
    /// The body is signed in chunks, which the verifier was not asked for.
    PayloadStreaming {
        /// What `x-amz-content-sha256` says.
        stated: String,
    },

    // The credential scope, the date.
    /// The scope names another region than the verifier's.
    Region {
        /// The one in the scope.
        stated: String,
        /// The verifier's.
        right: String,
    },
    /// The signature was made for another region than the scope names.
    SignedRegion {
        /// The one it was made for.
        signed: String,
        /// The one in the scope.
        stated: String,
    },
    /// The scope names another service than the verifier's.
    Service {
        /// The one in the scope.
        stated: String,
        /// The verifier's.
        right: String,
    },
    /// The signature was made for another service than the scope names.
    SignedService {
        /// The one it was made for.
        signed: String,
        /// The one in the scope.
        stated: String,
    },
    /// The scope's day is not the day of the request's date.
    ScopeDate {
        /// The day in the scope.
        stated: String,
        /// The request's date.
        request_date: DateTime,
    },
    /// The key was derived for another day than the scope names.
    KeyDate {
        /// The day it was derived for, `YYYYMMDD`.
        signed: String,
        /// The day in the scope.
        stated: String,
    },
    /// The scope does not end in `aws4_request`.
    Terminator {
        /// What it ends in.
        stated: String,
    },
    /// Another date was signed than the one that arrived.
    Date {
        /// What was signed.
        signed: DateTime,
        /// What arrived.
        received: DateTime,
    },
    /// The date is too far from the verifier's time.
    Clock {
        /// The request's date.
        request_date: DateTime,
        /// The verifier's time.
        now: DateTime,
        /// The time zone whose local time the date seems to be, in minutes east of UTC: the
        /// distance is a multiple of 15 minutes, give or take two.
        zone: Option<i32>,
    },
    /// A presigned request was used after its end.
    PresignedExpired {
        /// Its last second.
        limit: DateTime,
        /// The verifier's time.
        now: DateTime,
    },
    /// The string to sign named another algorithm.
    Algorithm {
        /// Which.
        signed: &'static str,
    },

    // The credentials.
    /// The secret was used with something around it, or lacking what is around it.
    SecretSpelling {
        /// What.
        signed: SecretSpelling,
    },
    /// The secret of another known access key was used.
    SecretOfOtherKey {
        /// The access key id that the secret belongs to.
        access_key_id: String,
    },
    /// The access key id was used as the secret too.
    SecretIsAccessKeyId,
    /// Access key id and secret were exchanged.
    KeysSwapped,
    /// The verifier does not know the access key id.
    AccessKeyUnknown,

    // The signature's own text.
    /// The signature is written in upper-case hexadecimal.
    SignatureUpperCase,
    /// The signature is not 64 hexadecimal digits, so nothing could match it.
    SignatureMalformed {
        /// Its length in bytes.
        length: usize,
    },
}

/// How the host that was signed became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HostSource {
    /// The request's `X-Forwarded-Host` or `Forwarded` header names it.
    Forwarded,
    /// It is among the hosts that the verifier was given as its own.
    Own,
    /// It is a name by which a machine calls itself, as `localhost`.
    Loopback,
}

/// How a path may be spelled in a canonical request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PathSpelling {
    /// Every byte decoded.
    Decoded,
    /// As on the wire, whichever way that is.
    AsSent,
    /// Encoded once: Amazon S3's rule.
    EncodedOnce,
    /// What is encoded on the wire is encoded again: the rule of every other service.
    EncodedTwice,
    /// Encoded once more than that.
    EncodedThrice,
}

/// In which order a query's parameters may be signed, where it is not the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QueryOrder {
    /// As on the wire.
    AsSent,
    /// Sorted as `key=value` texts, where `-` comes before `=`.
    AsText,
    /// Sorted before they were encoded.
    BeforeEncoding,
    /// Sorted by key alone.
    KeysOnly,
}

/// How a query's parameters may be spelled, where it is not the right way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QuerySpelling {
    /// `+` was taken for a space and signed as `%20`.
    PlusAsSpace,
    /// A space was signed as `+`.
    SpaceAsPlus,
    /// `+` was signed as `+`, not as `%2B`.
    PlusKept,
    /// What was encoded was encoded again.
    EncodedTwice,
    /// As on the wire.
    AsSent,
    /// Every byte decoded.
    Decoded,
}

/// A part of a request in which bytes are written `%XX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EncodedPart {
    /// The path.
    Path,
    /// The query.
    Query,
    /// Both.
    PathAndQuery,
}

/// What may become of white space in a header's value, where it is not the right thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HeaderSpace {
    /// Trimmed at both ends, runs of it inside kept.
    InnerKept,
    /// Kept as received.
    AllKept,
}

/// How a header's values may be joined, where it is not the right way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HeaderJoin {
    /// By a comma alone, while they arrived in one line with other white space around the commas.
    Comma,
    /// By a comma and a space.
    CommaSpace,
    /// Sorted first.
    Sorted,
    /// Only the first of them.
    FirstOnly,
    /// Only the last of them.
    LastOnly,
    /// Each on a line of its own.
    SeparateLines,
}

/// The payload of which a signature may speak in place of the body that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SignedPayload {
    /// The empty body.
    Empty,
    /// `{}`.
    EmptyObject,
    /// `null`.
    Null,
    /// `UNSIGNED-PAYLOAD`.
    Unsigned,
    /// `STREAMING-UNSIGNED-PAYLOAD-TRAILER`.
    UnsignedTrailer,
    /// The body without the white space at its end.
    WithoutFinalSpace,
    /// The body with a line feed after it.
    WithFinalLineFeed,
    /// The body itself, its hash in upper-case hexadecimal.
    UpperCaseHash,
    /// The body itself in place of its hash.
    BodyItself,
    /// Nothing in place of the hash.
    NoHash,
}

/// In what the secret that was used may differ from the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SecretSpelling {
    /// It had a line feed after it.
    LineFeedAfter,
    /// It had a carriage return and a line feed after it.
    LineEndAfter,
    /// It had a carriage return after it.
    CarriageReturnAfter,
    /// It had a space after it.
    SpaceAfter,
    /// It had a space before it.
    SpaceBefore,
    /// It had a space before and one after it.
    SpacesAround,
    /// It had a tab after it.
    TabAfter,
    /// It stood in double quotes.
    DoubleQuotes,
    /// It stood in single quotes.
    SingleQuotes,
    /// It lacked white space or quotes that the verifier's has around it.
    Bare,
    /// It was percent-encoded.
    PercentEncoded,
    /// It was empty.
    Empty,
}
