//! A request as bytes on the wire, how signing changes it, and a second, plain implementation of
//! its canonical form to hold the crate's own against.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sigv4::{
    Claim, PathEncoding, PathNormalization, Presigned, Request, Secret, Signed, SigningKey,
    Verified, VerifySettings,
};

/// 2015-08-30T12:36:00Z, when everything here is signed.
pub(crate) const SIGNED_AT: u64 = 1_440_938_160;
pub(crate) const ACCESS_KEY: &str = "AKIDEXAMPLE";
pub(crate) const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wire {
    pub(crate) method: String,
    pub(crate) path: Vec<u8>,
    pub(crate) query: Option<Vec<u8>>,
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    pub(crate) body: Vec<u8>,
}

impl Wire {
    pub(crate) fn with_request<T>(&self, act: impl FnOnce(&Request<'_>) -> T) -> T {
        let headers: Vec<(&str, &[u8])> = self
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), &value[..]))
            .collect();
        act(&Request {
            method: &self.method,
            path: &self.path,
            query: self.query.as_deref(),
            headers: &headers,
        })
    }

    /// The request with the headers of a signature, as `Signed` says to set them.
    pub(crate) fn signed(mut self, signed: &Signed) -> Self {
        let set: Vec<(String, Vec<u8>)> = signed
            .headers()
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect();
        let replaced = set.iter().map(|(name, _)| name.as_str());
        let gone: Vec<&str> = replaced
            .chain(signed.headers_to_remove().iter().copied())
            .collect();
        self.headers
            .retain(|(name, _)| !gone.iter().any(|gone| gone.eq_ignore_ascii_case(name)));
        self.headers.extend(set.clone());
        self
    }

    /// The request at its new target, as `Presigned` says to send it.
    pub(crate) fn presigned(mut self, presigned: &Presigned) -> Self {
        let gone = presigned.headers_to_remove();
        self.headers
            .retain(|(name, _)| !gone.iter().any(|gone| gone.eq_ignore_ascii_case(name)));
        let at = presigned
            .target()
            .iter()
            .position(|&byte| byte == b'?')
            .unwrap();
        self.path = presigned.target()[..at].to_vec();
        self.query = Some(presigned.target()[at + 1..].to_vec());
        self
    }

    /// What a server does with it, at `seconds` after it was signed.
    pub(crate) fn verify(
        &self,
        settings: &VerifySettings,
        seconds: i64,
    ) -> Result<Verified, String> {
        self.with_request(|request| {
            let claim = Claim::parse(request).map_err(|error| format!("{error:?}"))?;
            // The signature of the header form does not cover the access key id: what binds it is
            // that each has its own secret.
            if claim.access_key_id() != ACCESS_KEY {
                return Err("unknown access key".to_owned());
            }
            let key = SigningKey::derive(&Secret::new(SECRET), claim.scope());
            claim
                .verify(request, &self.body, &key, after(seconds), settings)
                .map_err(|error| format!("{error:?}"))
        })
    }

    pub(crate) fn position(&self, header: &str) -> usize {
        self.headers
            .iter()
            .position(|(name, _)| name.eq_ignore_ascii_case(header))
            .unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> String {
        String::from_utf8_lossy(&self.headers[self.position(name)].1).into_owned()
    }
}

pub(crate) fn after(seconds: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(SIGNED_AT.saturating_add_signed(seconds))
}

/// The canonical request but for its payload line, by the letter of AWS's description and with no
/// thought of speed. `names` are the signed headers, in lower case and sorted.
pub(crate) fn canonical(
    wire: &Wire,
    names: &[String],
    encoding: PathEncoding,
    normalization: PathNormalization,
    left_out: &[&str],
) -> Vec<u8> {
    let mut out = wire.method.clone().into_bytes();
    out.push(b'\n');
    out.extend(canonical_path(&wire.path, encoding, normalization));
    out.push(b'\n');
    out.extend(canonical_query(
        wire.query.as_deref().unwrap_or_default(),
        left_out,
    ));
    out.push(b'\n');
    let mut values: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
    for (name, value) in &wire.headers {
        values
            .entry(name.to_ascii_lowercase())
            .or_default()
            .push(folded(value));
    }
    for name in names {
        out.extend(name.bytes());
        out.push(b':');
        out.extend(values.get(name).cloned().unwrap_or_default().join(&b','));
        out.push(b'\n');
    }
    out.push(b'\n');
    out.extend(names.join(";").bytes());
    out
}

fn canonical_path(
    path: &[u8],
    encoding: PathEncoding,
    normalization: PathNormalization,
) -> Vec<u8> {
    let mut path = path.to_vec();
    if path.first() != Some(&b'/') {
        path.insert(0, b'/');
    }
    if normalization == PathNormalization::Normalize {
        path = without_dot_segments(&path);
    }
    let encode: fn(u8) -> String = |byte| match byte {
        b'/' => "/".to_owned(),
        other => encoded(other),
    };
    match encoding {
        PathEncoding::Double => path
            .into_iter()
            .map(encode)
            .collect::<String>()
            .into_bytes(),
        PathEncoding::Single => {
            let segments: Vec<Vec<u8>> = path
                .split(|&byte| byte == b'/')
                .map(|s| {
                    decoded(s)
                        .into_iter()
                        .map(encoded)
                        .collect::<String>()
                        .into_bytes()
                })
                .collect();
            segments.join(&b'/')
        }
    }
}

/// RFC 3986, section 5.2.4, after runs of slashes became one.
fn without_dot_segments(path: &[u8]) -> Vec<u8> {
    let mut single = path.to_vec();
    single.dedup_by(|a, b| *a == b'/' && *b == b'/');
    let mut input = &single[..];
    let mut output: Vec<u8> = Vec::new();
    while !input.is_empty() {
        if input.starts_with(b"/./") {
            input = &input[2..];
        } else if input == b"/." {
            input = b"/";
        } else if input.starts_with(b"/../") || input == b"/.." {
            let at = output.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
            output.truncate(at);
            input = if input == b"/.." { b"/" } else { &input[3..] };
        } else {
            let end = input[1..]
                .iter()
                .position(|&byte| byte == b'/')
                .map_or(input.len(), |n| n + 1);
            output.extend(&input[..end]);
            input = &input[end..];
        }
    }
    output
}

fn canonical_query(query: &[u8], left_out: &[&str]) -> Vec<u8> {
    let mut pairs: Vec<(String, String)> = query
        .split(|&byte| byte == b'&')
        .filter(|piece| !piece.is_empty())
        .map(|piece| {
            let at = piece.iter().position(|&byte| byte == b'=');
            let (key, value) = at.map_or((piece, &b""[..]), |at| (&piece[..at], &piece[at + 1..]));
            let respell = |text| decoded(text).into_iter().map(encoded).collect::<String>();
            (respell(key), respell(value))
        })
        .filter(|(key, _)| !left_out.contains(&key.as_str()))
        .collect();
    pairs.sort();
    let pairs: Vec<String> = pairs.into_iter().map(|(k, v)| format!("{k}={v}")).collect();
    pairs.join("&").into_bytes()
}

fn folded(value: &[u8]) -> Vec<u8> {
    let words: Vec<&[u8]> = value
        .split(|b| b" \t\r\n".contains(b))
        .filter(|word| !word.is_empty())
        .collect();
    words.join(&b' ')
}

fn encoded(byte: u8) -> String {
    match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    }
}

fn decoded(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let digits = text
            .get(at + 1..at + 3)
            .and_then(|two| std::str::from_utf8(two).ok());
        let digits = digits.filter(|two| two.bytes().all(|b| b.is_ascii_hexdigit()));
        if let (b'%', Some(two)) = (text[at], digits) {
            out.push(u8::from_str_radix(two, 16).unwrap());
            at += 3;
        } else {
            out.push(text[at]);
            at += 1;
        }
    }
    out
}
