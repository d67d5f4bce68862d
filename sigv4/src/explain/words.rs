//! What each mistake is called, and what to do about it.

use std::fmt;

use super::mistake::{
    EncodedPart, HeaderJoin, HeaderSpace, HostSource, Mistake, PathSpelling, QueryOrder,
    QuerySpelling, SecretSpelling, SignedPayload,
};
use crate::settings::PathNormalization;

/// One row for each mistake: what happened, and what to do as a clause without its full stop.
macro_rules! words {
    ($($pattern:pat => ($($happened:tt)+), $advice:expr;)+) => {
        impl fmt::Display for Mistake {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $($pattern => write!(f, $($happened)+),)+
                }
            }
        }

        impl Mistake {
            /// What to do, as a clause without its full stop.
            #[must_use]
            #[allow(unused_variables, reason = "the rows bind what their sentences say")]
            pub const fn advice(&self) -> &'static str {
                match self {
                    $($pattern => $advice,)+
                }
            }
        }
    };
}

words! {
    // The host.
    Self::HostRewritten { signed, received, source } =>
        ("the host {signed:?} was signed and {received:?} arrived ({source})"),
        PASS_HOST_ON;
    Self::PortDropped { signed, received } =>
        ("the host was signed with its port, {signed:?}, and arrived without, {received:?}"),
        PASS_HOST_ON;
    Self::PortAdded { signed, received } =>
        ("the host was signed without a port, {signed:?}, and arrived with one, {received:?}"),
        PASS_HOST_ON;
    Self::HostCase { signed, received } =>
        ("the host was signed as {signed:?} and arrived as {received:?}"),
        "sign the host in the case in which it is sent";
    Self::HostEmpty =>
        ("an empty host was signed"),
        "set the Host header before signing";
    Self::HostNotSigned =>
        ("the signature does not cover the host"),
        "sign host: it must be among SignedHeaders";

    // The method, the path.
    Self::Method { signed, received } =>
        ("the method {signed:?} was signed and {received:?} arrived"),
        "sign with the method that is sent, in upper case";
    Self::MethodMalformed =>
        ("the method is not an HTTP token"),
        "send one of HTTP's methods";
    Self::PathEncoding { signed, right: right @ PathSpelling::EncodedOnce } =>
        ("the path was signed {signed}; here it has to be {right}"),
        "sign the path encoded once, as for Amazon S3";
    Self::PathEncoding { signed, right } =>
        ("the path was signed {signed}; here it has to be {right}"),
        "encode the path as it is sent once more for the canonical request, as for every service \
         but Amazon S3";
    Self::PathNormalization { signed: PathNormalization::AsIs } =>
        ("the path was signed with the dot and empty segments that it has, which here are resolved"),
        "resolve '.', '..' and empty segments before signing, or send a path without them";
    Self::PathNormalization { signed: PathNormalization::Normalize } =>
        ("the path was signed with its dot and empty segments resolved, which here are kept"),
        "sign the path with the segments that are sent";
    Self::PathRewritten { signed, received } =>
        ("the path {signed:?} was signed and {received:?} arrived"),
        "let the proxy pass the path on as it came, or sign the path that arrives";
    Self::LowerCaseHex { part } =>
        ("{part} was signed with the hexadecimal digits of %XX in lower case"),
        "write %XX in upper case in the canonical request";

    // The query.
    Self::QueryOrder { signed } =>
        ("the query's parameters were signed {signed}"),
        "sort the parameters by encoded key, then by encoded value";
    Self::QuerySpelling { signed } =>
        ("in the query {signed}"),
        "send a space as %20 and a plus as %2B, and sign every parameter encoded once";
    Self::QueryEqualsMissing =>
        ("a query key without a value was signed without its equal sign"),
        "sign a key without a value as 'key='";
    Self::QueryParameterAdded { key } =>
        ("the signature does not cover the query parameter {key:?}"),
        COMPLETE_QUERY;
    Self::QueryNotSigned =>
        ("an empty query was signed"),
        COMPLETE_QUERY;

    // The headers.
    Self::HeaderSpace { name, signed } =>
        ("the header {name} was signed with {signed}"),
        "trim each header value and write every run of white space in it as one space";
    Self::HeaderJoin { name, signed } =>
        ("of the header {name}, several values were signed {signed}"),
        "join the values of a repeated header with a comma alone, in the order sent";
    Self::HeaderChanged { name, signed, received } =>
        ("the header {name} was signed as {signed:?} and arrived as {received:?}"),
        LEAVE_HEADER_OUT;
    Self::HeaderRemoved { name, signed: Some(signed) } =>
        ("the header {name} was signed as {signed:?} and did not arrive"),
        LEAVE_HEADER_OUT;
    Self::HeaderRemoved { name, signed: None } =>
        ("the header {name} was signed and did not arrive"),
        LEAVE_HEADER_OUT;
    Self::HeaderAdded { name } =>
        ("the header {} arrived and the signature does not cover it", name.escape_debug()),
        "sign every x-amz- header that is sent, and let nothing on the way add one";
    Self::HeaderListed { name } =>
        ("SignedHeaders names {name}, which the signature does not cover"),
        ONE_LIST;
    Self::HeaderUnlisted { name } =>
        ("the signature covers the header {}, which SignedHeaders does not name",
         name.escape_debug()),
        ONE_LIST;
    Self::SessionTokenUnsigned =>
        ("the signature does not cover the session token"),
        "set the session token before signing, so that the signature covers it";

    // The body.
    Self::Payload { signed } =>
        ("for the body, {signed} was signed"),
        "sign the SHA-256 of the body that is sent, in lower case";
    Self::BodyChanged { received_length } =>
        ("the body that was signed is not the one that arrived ({received_length} bytes)"),
        "sign after the body is complete, and let nothing on the way change it";
    Self::PayloadHeaderChanged =>
        ("x-amz-content-sha256 is not the hash of the body that arrived, which was signed"),
        "send the body's hash in x-amz-content-sha256, or leave the header out";
    Self::PayloadStreaming { stated } =>
        ("the body is signed in chunks (x-amz-content-sha256 is {stated:?}), not read so here"),
        "sign the whole body's hash";

    // The credential scope, the date.
    Self::Region { stated, right } =>
        ("the request is signed for region {stated:?}; here is {right:?}"),
        "set the client's region to the verifier's (AWS_REGION)";
    Self::SignedRegion { signed, stated } =>
        ("the signature was made for region {signed:?}, while its credential says {stated:?}"),
        ONE_SCOPE;
    Self::Service { stated, right } =>
        ("the request is signed for service {stated:?}; here is {right:?}"),
        "sign for the verifier's service";
    Self::SignedService { signed, stated } =>
        ("the signature was made for service {signed:?}, while its credential says {stated:?}"),
        ONE_SCOPE;
    Self::ScopeDate { stated, request_date } =>
        ("the credential is of {stated:?}, the request of {request_date}"),
        "use the day of the request's own date, in UTC";
    Self::KeyDate { signed, stated } =>
        ("the key was derived for the day {signed:?}, while the credential says {stated:?}"),
        ONE_SCOPE;
    Self::Terminator { stated } =>
        ("the credential ends in {stated:?}, not in aws4_request"),
        "end the credential with aws4_request";
    Self::Date { signed, received } =>
        ("the date {signed} was signed and {received} arrived"),
        "read the clock once, and send the date that is signed";
    Self::Clock { request_date, now, zone: Some(minutes) } =>
        ("the request is of {request_date}, and it is {now}; it seems to be local time at {} from \
          UTC", Offset(*minutes)),
        "write the date in UTC";
    Self::Clock { request_date, now, zone: None } =>
        ("the request is of {request_date}, and it is {now}"),
        "set the client's clock, or the verifier's";
    Self::PresignedExpired { limit, now } =>
        ("the presigned request was good until {limit}, and it is {now}"),
        "presign anew, or for longer";
    Self::Algorithm { signed } =>
        ("the string to sign began with {signed} in place of AWS4-HMAC-SHA256"),
        "begin the string to sign with AWS4-HMAC-SHA256";

    // The credentials.
    Self::SecretSpelling { signed: signed @ SecretSpelling::Bare } =>
        ("the secret that was used {signed}"),
        "take white space and quotes from around the verifier's secret";
    Self::SecretSpelling { signed: signed @ SecretSpelling::Empty } =>
        ("the secret that was used {signed}"),
        "give the client its secret (AWS_SECRET_ACCESS_KEY)";
    Self::SecretSpelling { signed } =>
        ("the secret that was used {signed}"),
        "clean the client's secret (AWS_SECRET_ACCESS_KEY, or the file it is read from)";
    Self::SecretOfOtherKey { access_key_id } =>
        ("the secret that was used belongs to the access key {access_key_id:?}"),
        "give the client the access key id and the secret of one and the same key";
    Self::SecretIsAccessKeyId =>
        ("the access key id was used in place of the secret"),
        "give the client its secret (AWS_SECRET_ACCESS_KEY)";
    Self::KeysSwapped =>
        ("access key id and secret are exchanged"),
        "exchange AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the client's settings";
    Self::AccessKeyUnknown =>
        ("the access key id is not known"),
        "use an access key that the verifier knows";

    // The signature's own text.
    Self::SignatureUpperCase =>
        ("the signature is written in upper-case hexadecimal"),
        "write the signature in lower case";
    Self::SignatureMalformed { length } =>
        ("the signature is not 64 hexadecimal digits (it has {length} bytes)"),
        "write the signature as 64 lower-case hexadecimal digits";
}

const PASS_HOST_ON: &str = "let the proxy pass Host on as it came (nginx: proxy_set_header Host \
    $http_host), or sign for the host that arrives";
const COMPLETE_QUERY: &str = "sign after the query is complete, and let nothing add to it";
const LEAVE_HEADER_OUT: &str =
    "leave this header out of the signature, or let nothing on the way touch it";
const ONE_LIST: &str =
    "write SignedHeaders from the very headers that go into the canonical request";
const ONE_SCOPE: &str = "derive the key from the very scope that the credential states";

/// A time zone's minutes east of UTC, as `+05:30`.
struct Offset(i32);

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { '-' } else { '+' };
        let minutes = self.0.unsigned_abs();
        write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

impl fmt::Display for HostSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Forwarded => "a proxy's header names it",
            Self::Own => "one of the verifier's own hosts",
            Self::Loopback => "a name of the local machine",
        })
    }
}

impl fmt::Display for PathSpelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Decoded => "decoded",
            Self::AsSent => "as it was sent",
            Self::EncodedOnce => "encoded once",
            Self::EncodedTwice => "encoded twice",
            Self::EncodedThrice => "encoded three times",
        })
    }
}

impl fmt::Display for EncodedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Path => "the path",
            Self::Query => "the query",
            Self::PathAndQuery => "the target",
        })
    }
}

impl fmt::Display for QueryOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AsSent => "unsorted, in the order sent",
            Self::AsText => "sorted as key=value texts",
            Self::BeforeEncoding => "sorted before they were encoded",
            Self::KeysOnly => "sorted by key alone",
        })
    }
}

impl fmt::Display for QuerySpelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PlusAsSpace => "a plus was signed as a space, %20",
            Self::SpaceAsPlus => "a space was signed as a plus",
            Self::PlusKept => "a plus was signed as it is, not as %2B",
            Self::EncodedTwice => "each parameter was encoded twice for the signature",
            Self::AsSent => "each parameter was signed in the spelling in which it was sent",
            Self::Decoded => "each parameter was signed decoded",
        })
    }
}

impl fmt::Display for HeaderSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InnerKept => "runs of white space in it kept",
            Self::AllKept => "all its white space kept",
        })
    }
}

impl fmt::Display for HeaderJoin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Comma => "joined by a comma alone, and arrived in one line with white space",
            Self::CommaSpace => "joined by a comma and a space",
            Self::Sorted => "in sorted order",
            Self::FirstOnly => "without all but the first",
            Self::LastOnly => "without all but the last",
            Self::SeparateLines => "as separate lines",
        })
    }
}

impl fmt::Display for SignedPayload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "the hash of an empty body",
            Self::EmptyObject => "the hash of the body {}",
            Self::Null => "the hash of the body null",
            Self::Unsigned => "UNSIGNED-PAYLOAD",
            Self::UnsignedTrailer => "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
            Self::WithoutFinalSpace => "the hash of it without the white space at its end",
            Self::WithFinalLineFeed => "the hash of it with a line feed after it",
            Self::UpperCaseHash => "its hash in upper-case hexadecimal",
            Self::BodyItself => "the body itself and not its hash",
            Self::NoHash => "no hash",
        })
    }
}

impl fmt::Display for SecretSpelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LineFeedAfter => "has a line feed after it",
            Self::LineEndAfter => "has a carriage return and a line feed after it",
            Self::CarriageReturnAfter => "has a carriage return after it",
            Self::SpaceAfter => "has a space after it",
            Self::SpaceBefore => "has a space before it",
            Self::SpacesAround => "has spaces around it",
            Self::TabAfter => "has a tab after it",
            Self::DoubleQuotes => "stands in double quotes",
            Self::SingleQuotes => "stands in single quotes",
            Self::Bare => "lacks the white space or quotes that the verifier's has around it",
            Self::PercentEncoded => "was percent-encoded",
            Self::Empty => "is empty",
        })
    }
}
