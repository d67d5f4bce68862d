//! What is signed verifies, in both forms and under all settings; and whatever is then changed
//! either leaves the canonical request as it was or is refused.

use std::time::Duration;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use sigv4::{
    Claim, ContentSha256, Credentials, PathEncoding, PathNormalization, Payload, SessionToken,
    SessionTokenRule, Settings, Signer, UNSIGNED_HEADERS, UnsignedPayload, VerifySettings,
};

use crate::wire::{ACCESS_KEY, SECRET, Wire, after, canonical};

const EXPIRES: u64 = 3600;

/// In which form a request is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Header,
    Query,
}

/// What the signer says of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    Hashed,
    Unsigned,
}

#[derive(Clone, Debug)]
struct Case {
    wire: Wire,
    settings: Settings,
    form: Form,
    body: Body,
    token: Option<String>,
}

impl Case {
    fn signed(&self) -> Wire {
        let mut credentials = Credentials::new(ACCESS_KEY, SECRET);
        if let Some(token) = &self.token {
            credentials = credentials.with_session_token(token);
        }
        let signer = Signer::new(credentials, "us-east-1", "sqs").with_settings(self.settings);
        let payload = match self.body {
            Body::Hashed => Payload::Bytes(&self.wire.body),
            Body::Unsigned => Payload::Unsigned,
        };
        let now = after(0);
        self.wire.with_request(|request| match self.form {
            Form::Header => self
                .wire
                .clone()
                .signed(&signer.sign(request, payload, now).unwrap()),
            Form::Query => {
                let expires = Duration::from_secs(EXPIRES);
                let presigned = signer.presign(request, payload, now, expires).unwrap();
                self.wire.clone().presigned(&presigned)
            }
        })
    }

    /// The strictest settings under which it must verify.
    fn verify_settings(&self) -> VerifySettings {
        let mut settings = VerifySettings::default()
            .with_region("us-east-1")
            .with_service("sqs")
            .with_path_encoding(self.settings.path_encoding)
            .with_path_normalization(self.settings.path_normalization);
        if self.settings.session_token == SessionToken::AppendedUnsigned {
            settings = settings.with_session_token(SessionTokenRule::MayBeUnsigned);
        }
        if self.body == Body::Unsigned {
            settings = settings.with_unsigned_payload(UnsignedPayload::Allowed);
        }
        settings
    }

    /// The canonical form of a request that was received in place of the one signed.
    fn canonical(&self, received: &Wire) -> Vec<u8> {
        let left_out: &[&str] = match (self.form, self.settings.session_token) {
            (Form::Header, _) => &[],
            (Form::Query, SessionToken::Signed) => &["X-Amz-Signature"],
            (Form::Query, SessionToken::AppendedUnsigned) => {
                &["X-Amz-Signature", "X-Amz-Security-Token"]
            }
        };
        let encoding = self.settings.path_encoding;
        let normalization = self.settings.path_normalization;
        canonical(
            received,
            &self.signed_names(received),
            encoding,
            normalization,
            left_out,
        )
    }

    fn signed_names(&self, received: &Wire) -> Vec<String> {
        received.with_request(|request| {
            let claim = Claim::parse(request).unwrap();
            claim.signed_headers().map(str::to_owned).collect()
        })
    }
}

fn header_name() -> impl Strategy<Value = String> {
    const KNOWN: [&str; 7] = [
        "x-amz-target",
        "X-Amz-Extra",
        "content-type",
        "Date",
        "cookie",
        "User-Agent",
        "te",
    ];
    const REPLACED: [&str; 4] = [
        "Authorization",
        "X-Amz-Date",
        "x-amz-security-token",
        "X-Amz-Content-Sha256",
    ];
    prop_oneof![
        3 => select(&KNOWN[..]).prop_map(str::to_owned),
        1 => select(&REPLACED[..]).prop_map(str::to_owned),
        3 => "[a-cA-C_-]{1,3}",
    ]
}

fn bytes(
    alphabet: &'static [u8],
    length: std::ops::Range<usize>,
) -> impl Strategy<Value = Vec<u8>> {
    vec(prop_oneof![4 => select(alphabet), 1 => any::<u8>()], length)
}

fn wire() -> impl Strategy<Value = Wire> {
    let path = bytes(b"/.%2Fa~ +", 0..16).prop_map(|path| {
        // A question mark would end the path.
        path.into_iter().filter(|&byte| byte != b'?').collect()
    });
    let query = bytes(b"ab=&%2B+-~ ", 0..24);
    let line = (header_name(), bytes(b"ab \t,;:=\"", 0..12));
    let parts = (
        "[A-Z]{1,7}",
        path,
        option::of(query),
        vec(line, 0..6),
        any::<Index>(),
    );
    (parts, vec(any::<u8>(), 0..40)).prop_map(|((method, path, query, mut headers, at), body)| {
        headers.insert(
            at.index(headers.len() + 1),
            ("Host".to_owned(), b"example.com".to_vec()),
        );
        Wire {
            method,
            path,
            query,
            headers,
            body,
        }
    })
}

fn settings() -> impl Strategy<Value = Settings> {
    (
        select(&[PathEncoding::Double, PathEncoding::Single][..]),
        select(&[PathNormalization::Normalize, PathNormalization::AsIs][..]),
        select(&[SessionToken::Signed, SessionToken::AppendedUnsigned][..]),
        select(&[ContentSha256::Omit, ContentSha256::Add][..]),
    )
        .prop_map(|(encoding, normalization, token, hash)| {
            Settings::default()
                .with_path_encoding(encoding)
                .with_path_normalization(normalization)
                .with_session_token(token)
                .with_content_sha256(hash)
        })
}

fn case() -> impl Strategy<Value = Case> {
    let form = select(&[Form::Header, Form::Query][..]);
    let body = prop_oneof![3 => Just(Body::Hashed), 1 => Just(Body::Unsigned)];
    (wire(), settings(), form, body, option::of("[!-~]{1,20}")).prop_map(
        |(wire, settings, form, body, token)| Case {
            wire,
            settings,
            form,
            body,
            token,
        },
    )
}

/// One change to a request on its way.
#[derive(Clone, Debug)]
enum Change {
    Method(char),
    PathByte(Index, u8),
    PathInsert(Index, u8),
    PathRemove(Index),
    QueryByte(Index, u8),
    QueryInsert(Index, u8),
    QueryRemove(Index),
    HeaderByte(Index, Index, u8),
    HeaderInsert(Index, Index, u8),
    HeaderRemove(Index),
    HeaderAdd(String, Vec<u8>),
    HeadersSwap(Index, Index),
    BodyByte(Index, u8),
    BodyAppend(u8),
}

fn change() -> impl Strategy<Value = Change> {
    let byte = || prop_oneof![select(&b"/.%2Fab=&+~ ,;\t0123456789"[..]), any::<u8>()];
    let at = any::<Index>;
    prop_oneof![
        proptest::char::range('A', 'Z').prop_map(Change::Method),
        (at(), byte()).prop_map(|(i, b)| Change::PathByte(i, b)),
        (at(), byte()).prop_map(|(i, b)| Change::PathInsert(i, b)),
        at().prop_map(Change::PathRemove),
        (at(), byte()).prop_map(|(i, b)| Change::QueryByte(i, b)),
        (at(), byte()).prop_map(|(i, b)| Change::QueryInsert(i, b)),
        at().prop_map(Change::QueryRemove),
        (at(), at(), byte()).prop_map(|(h, i, b)| Change::HeaderByte(h, i, b)),
        (at(), at(), byte()).prop_map(|(h, i, b)| Change::HeaderInsert(h, i, b)),
        at().prop_map(Change::HeaderRemove),
        (header_name(), bytes(b"ab ", 0..4)).prop_map(|(n, v)| Change::HeaderAdd(n, v)),
        (at(), at()).prop_map(|(a, b)| Change::HeadersSwap(a, b)),
        (at(), byte()).prop_map(|(i, b)| Change::BodyByte(i, b)),
        byte().prop_map(Change::BodyAppend),
    ]
}

fn set_byte(text: &mut [u8], at: Index, byte: u8) {
    if !text.is_empty() {
        text[at.index(text.len())] = byte;
    }
}

fn insert_byte(text: &mut Vec<u8>, at: Index, byte: u8) {
    text.insert(at.index(text.len() + 1), byte);
}

fn remove_byte(text: &mut Vec<u8>, at: Index) {
    if !text.is_empty() {
        text.remove(at.index(text.len()));
    }
}

impl Change {
    fn apply(&self, wire: &mut Wire) {
        let query = wire.query.get_or_insert_default();
        let lines = wire.headers.len();
        match self.clone() {
            Self::Method(letter) => wire.method.push(letter),
            Self::PathByte(at, byte) => set_byte(&mut wire.path, at, byte),
            Self::PathInsert(at, byte) => insert_byte(&mut wire.path, at, byte),
            Self::PathRemove(at) => remove_byte(&mut wire.path, at),
            Self::QueryByte(at, byte) => set_byte(query, at, byte),
            Self::QueryInsert(at, byte) => insert_byte(query, at, byte),
            Self::QueryRemove(at) => remove_byte(query, at),
            Self::HeaderAdd(name, value) => wire.headers.push((name, value)),
            Self::BodyByte(at, byte) => set_byte(&mut wire.body, at, byte),
            Self::BodyAppend(byte) => wire.body.push(byte),
            _ if lines == 0 => {}
            Self::HeaderByte(line, at, byte) => {
                set_byte(&mut wire.headers[line.index(lines)].1, at, byte);
            }
            Self::HeaderInsert(line, at, byte) => {
                insert_byte(&mut wire.headers[line.index(lines)].1, at, byte);
            }
            Self::HeaderRemove(line) => {
                wire.headers.remove(line.index(lines));
            }
            Self::HeadersSwap(a, b) => wire.headers.swap(a.index(lines), b.index(lines)),
        }
    }
}

/// What a request claims, but for its signature, and for a token that need not be signed.
fn claimed(wire: &Wire, case: &Case) -> impl PartialEq + std::fmt::Debug + use<> {
    let signs_token = case.settings.session_token == SessionToken::Signed;
    wire.with_request(|request| {
        let claim = Claim::parse(request).unwrap();
        (
            claim.access_key_id().to_owned(),
            claim.scope().clone(),
            claim.date_time(),
            claim.form(),
            claim
                .session_token()
                .filter(|_| signs_token)
                .map(str::to_owned),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn what_is_signed_verifies(case in case()) {
        let signed = case.signed();
        let verified = signed.verify(&case.verify_settings(), 0);
        prop_assert!(verified.is_ok(), "{verified:?} {signed:?}");
    }

    /// A retry: the signed request is given to the signer again.
    #[test]
    fn what_is_signed_can_be_signed_again(case in case()) {
        let once = case.signed();
        let again = Case { wire: once.clone(), ..case }.signed();
        prop_assert_eq!(&again, &once);
    }

    /// The crate's canonical request is the one that the plain implementation writes.
    #[test]
    fn the_canonical_request_is_as_described(wire in wire(), settings in settings()) {
        let written = wire.with_request(|request| {
            sigv4::CanonicalRequest::new(request, Payload::Unsigned, &settings).unwrap()
        });
        let mut names: Vec<String> =
            wire.headers.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
        names.retain(|name| !UNSIGNED_HEADERS.contains(&name.as_str()));
        names.sort();
        names.dedup();
        let (encoding, normalization) = (settings.path_encoding, settings.path_normalization);
        let mut plain =
            canonical(&wire, &names, encoding, normalization, &["X-Amz-Signature"]);
        plain.extend(b"\nUNSIGNED-PAYLOAD");
        prop_assert_eq!(
            String::from_utf8_lossy(written.as_bytes()),
            String::from_utf8_lossy(&plain)
        );
        prop_assert_eq!(written.as_bytes(), &plain[..]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Whatever verifies after a change has the canonical request, the body, the claimed date and
    /// the scope that were signed. (Conversely, what keeps them must verify: see below.)
    #[test]
    fn a_change_that_counts_is_refused(case in case(), changes in vec(change(), 1..3)) {
        let sent = case.signed();
        let mut received = sent.clone();
        for change in &changes {
            change.apply(&mut received);
        }
        if received.verify(&case.verify_settings(), 0).is_ok() {
            prop_assert_eq!(case.canonical(&received), case.canonical(&sent));
            prop_assert_eq!(claimed(&received, &case), claimed(&sent, &case));
            prop_assert!(case.body == Body::Unsigned || received.body == sent.body);
        }
    }

    /// And the other way round: a change of path or query that leaves the canonical request as it
    /// was is another spelling of the same request, which verifies.
    #[test]
    fn a_change_that_does_not_count_verifies(case in case(), changes in vec(change(), 1..3)) {
        let sent = case.signed();
        let mut received = sent.clone();
        for change in &changes {
            change.apply(&mut received);
        }
        let same_lines = received.headers == sent.headers && received.body == sent.body;
        if same_lines && case.form == Form::Header && case.canonical(&received) == case.canonical(&sent) {
            let verified = received.verify(&case.verify_settings(), 0);
            prop_assert!(verified.is_ok(), "{verified:?} {received:?}");
        }
    }

    #[test]
    fn another_secret_or_time_is_refused(case in case(), late in 0i64..1_000_000) {
        let signed = case.signed();
        let settings = case.verify_settings();
        let bound = match case.form {
            Form::Header => 900,
            Form::Query => i64::try_from(EXPIRES).unwrap(),
        };
        prop_assert_eq!(signed.verify(&settings, late).is_ok(), late <= bound);
        prop_assert_eq!(signed.verify(&settings, -late).is_ok(), late <= 900);
        signed.with_request(|request| {
            let claim = Claim::parse(request).unwrap();
            let secret = sigv4::Secret::new(format!("{SECRET} "));
            let key = sigv4::SigningKey::derive(&secret, claim.scope());
            let refused = claim.verify(request, &signed.body, &key, after(0), &settings);
            assert!(matches!(refused, Err(sigv4::VerifyError::SignatureMismatch { .. })));
        });
    }
}
