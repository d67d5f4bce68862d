//! AWS's published suite: where it is, how its files are read, and what is done about its odd ones.
//!
//! The suite comes from AWS's C signer (<https://github.com/awslabs/aws-c-auth>, folder
//! `tests/aws-signing-test-suite`) and is shipped inside the crates.io package `aws-sigv4`, with two
//! older cases added. Its folders `v4` and `v4a` have one folder a case:
//!
//! | file | holds |
//! |---|---|
//! | `context.json` | who signs, when, for which service, and how |
//! | `request.txt` | the request before it is signed |
//! | `public-key.json` | in `v4a` the key that every signature must verify under |
//! | `header-…`, `query-…` | for each form what must come out: `canonical-request.txt`, `string-to-sign.txt`, `signature.txt`, `signed-request.txt` |

mod odd;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use sigv4::v4a::PublicKey;

use crate::case::{
    Algorithm, Case, ContentSha256, Context, Expected, Form, PathNormalization, SessionToken,
    Settings,
};
use crate::error::{entries, read};
use crate::message::Message;
use crate::{LoadError, package, timestamp};

/// The crates.io package that carries the suite, and the version that this package pins.
pub const PACKAGE: (&str, &str) = ("aws-sigv4", "1.6.4");

/// The suite as it was read.
#[derive(Debug, Clone)]
pub struct Suite {
    /// The cases in the order of their names.
    pub cases: Vec<Case>,
    /// What is not as published, or not checked, and why: printed beside the results, never counted.
    pub notes: Vec<Note>,
}

/// Something about the suite that a reader of the results must know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// What was done about it.
    pub what: Treatment,
    /// The folder of the case.
    pub case: &'static str,
    /// Which part of it.
    pub part: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// What was done about an odd part of the suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// It is read otherwise than it is written.
    Corrected,
    /// It is not checked.
    Skipped,
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match self.what {
            Treatment::Corrected => "corrected",
            Treatment::Skipped => "skipped",
        };
        write!(
            f,
            "{what}: {} {} because {}",
            self.case, self.part, self.reason
        )
    }
}

/// Finds the suite inside the pinned package, among the sources that cargo keeps. The package is a test
/// dependency of this one, and cargo downloads what it lists, so that this works on a fresh machine too.
///
/// # Errors
///
/// [`LoadError::NotFound`] when `cargo metadata` fails (it is run with `--locked`, and may need the
/// network once) or does not list the package in this version.
pub fn locate() -> Result<PathBuf, LoadError> {
    Ok(package::folder(PACKAGE)?.join("aws-signing-test-suite"))
}

/// Reads the v4 cases of a copy of the suite: `folder` is the one that holds the folder `v4`.
///
/// # Errors
///
/// The first file that is missing or not as it should be, by name, with what was expected. A file may
/// be missing only where this package knows why (see [`Suite::notes`]).
pub fn load(folder: &Path) -> Result<Suite, LoadError> {
    load_folder(&folder.join("v4"), Algorithm::V4)
}

/// Reads the v4a cases: `folder` is the one that holds the folder `v4a`.
///
/// # Errors
///
/// As [`load`].
pub fn load_v4a(folder: &Path) -> Result<Suite, LoadError> {
    let mut suite = load_folder(&folder.join("v4a"), Algorithm::V4a)?;
    suite.notes.extend_from_slice(odd::LEFT_OUT_OF_V4A);
    Ok(suite)
}

fn load_folder(folder: &Path, algorithm: Algorithm) -> Result<Suite, LoadError> {
    let mut suite = Suite {
        cases: Vec::new(),
        notes: Vec::new(),
    };
    let (expected, extra) = match algorithm {
        Algorithm::V4 => ("the folder v4 of AWS's signing suite", odd::EXTRA),
        Algorithm::V4a => ("the folder v4a of AWS's signing suite", &[][..]),
    };
    for path in entries(folder, expected)? {
        if path.is_dir() {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            match extra.iter().find(|extra| extra.name == name) {
                Some(extra) => extra.load(&path, &mut suite)?,
                None => load_case(&path, name, algorithm, &mut suite)?,
            }
        }
    }
    if suite.cases.is_empty() {
        return Err(LoadError::malformed(
            folder,
            "no case is in it; expected a folder for each case",
        ));
    }
    Ok(suite)
}

fn load_case(
    folder: &Path,
    name: String,
    algorithm: Algorithm,
    suite: &mut Suite,
) -> Result<(), LoadError> {
    let context = load_context(&folder.join("context.json"), algorithm)?;
    let derived_key = match algorithm {
        Algorithm::V4 => None,
        Algorithm::V4a => Some(load_public_key(&folder.join("public-key.json"))?),
    };
    let mut request = load_message(&folder.join("request.txt"))?;
    let header = load_expected(folder, Form::Header)?;
    let query = load_expected(folder, Form::Query)?;
    if let Some(correction) = odd::CORRECTED_TARGETS.iter().find(|odd| odd.case == name)
        && let Some(signed) = &header.signed_request
        && signed.target != request.target
    {
        request.target.clone_from(&signed.target);
        suite.notes.push(*correction);
    }
    suite.cases.push(Case {
        name,
        context,
        request,
        derived_key,
        header: Some(header),
        query: Some(query),
    });
    Ok(())
}

fn load_expected(folder: &Path, form: Form) -> Result<Expected, LoadError> {
    let file = |name: &str| folder.join(format!("{form}-{name}.txt"));
    Ok(Expected {
        canonical_request: Some(load_stage(&file("canonical-request"))?),
        string_to_sign: Some(load_stage(&file("string-to-sign"))?),
        signature: Some(load_stage(&file("signature"))?),
        signed_request: Some(load_message(&file("signed-request"))?),
    })
}

/// No stage ends in a line feed, while one of the files does.
fn load_stage(path: &Path) -> Result<String, LoadError> {
    let mut text = read(path, "one stage of a signature")?;
    if text.ends_with('\n') {
        text.pop();
    }
    Ok(text)
}

fn load_message(path: &Path) -> Result<Message, LoadError> {
    let text = read(path, "an HTTP request as text")?;
    Message::parse(&text).map_err(|problem| LoadError::malformed(path, problem))
}

/// `context.json`. An unknown member is refused: it would mean something that is not done here.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContextFile {
    credentials: CredentialsFile,
    expiration_in_seconds: u64,
    normalize: bool,
    region: String,
    service: String,
    sign_body: bool,
    timestamp: String,
    #[serde(default)]
    omit_session_token: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CredentialsFile {
    access_key_id: String,
    secret_access_key: String,
    token: Option<String>,
}

fn load_context(path: &Path, algorithm: Algorithm) -> Result<Context, LoadError> {
    let text = read(path, "the context of a case")?;
    let file: ContextFile = serde_json::from_str(&text)
        .map_err(|error| LoadError::malformed(path, error.to_string()))?;
    let timestamp =
        timestamp::parse(&file.timestamp).map_err(|problem| LoadError::malformed(path, problem))?;
    let settings = Settings {
        path_normalization: if file.normalize {
            PathNormalization::Normalize
        } else {
            PathNormalization::AsIs
        },
        session_token: if file.omit_session_token {
            SessionToken::Unsigned
        } else {
            SessionToken::Signed
        },
        // Where it is false there is no body, and the hash of nothing is signed.
        content_sha256: if file.sign_body {
            ContentSha256::Add
        } else {
            ContentSha256::Omit
        },
        ..Settings::default()
    };
    Ok(Context {
        algorithm,
        access_key_id: file.credentials.access_key_id,
        secret_access_key: file.credentials.secret_access_key,
        session_token: file.credentials.token,
        region: file.region,
        service: file.service,
        timestamp,
        expires: Duration::from_secs(file.expiration_in_seconds),
        settings,
    })
}

/// `public-key.json`: the two coordinates of a point in hexadecimal.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PublicKeyFile {
    #[serde(rename = "X")]
    x: String,
    #[serde(rename = "Y")]
    y: String,
}

fn load_public_key(path: &Path) -> Result<String, LoadError> {
    let text = read(path, "a public key")?;
    let file: PublicKeyFile = serde_json::from_str(&text)
        .map_err(|error| LoadError::malformed(path, error.to_string()))?;
    let key = PublicKey::from_hex_coordinates(&file.x, &file.y)
        .map_err(|error| LoadError::malformed(path, error.to_string()))?;
    Ok(key.to_string())
}
