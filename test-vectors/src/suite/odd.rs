//! What of the suite is not as the rest of it, as data.

use std::path::Path;
use std::time::Duration;

use super::{Note, Suite, Treatment, load_message, load_stage};
use crate::case::{Algorithm, Case, Context, Expected, Settings};
use crate::error::read;
use crate::message::Message;
use crate::{LoadError, timestamp};

/// Cases whose request has another target than the one that is signed.
pub(super) const CORRECTED_TARGETS: &[Note] = &[Note {
    case: "get-space-normalized",
    what: Treatment::Corrected,
    part: "request.txt, whose target is taken from header-signed-request.txt,",
    reason: "this copy has `%20` where everything that is published for it has a raw space",
}];

/// What of the v4a cases nothing here checks.
pub(super) const LEFT_OUT_OF_V4A: &[Note] = &[Note {
    case: "v4a/get-vanilla",
    what: Treatment::Skipped,
    part: "canonical-request.txt and string-to-sign.txt",
    reason: "they are the header form's, once more under another name",
}];

/// A case that was added to the suite in an older format: its header form only, not every stage, and
/// no file that says who signs.
pub(super) struct Extra {
    pub(super) name: &'static str,
    signer: Signer,
    canonical_request: CanonicalRequest,
    string_to_sign: StringToSign,
    notes: &'static [Note],
}

/// Who signs an extra case, as its published scope and signature say.
struct Signer {
    access_key_id: &'static str,
    secret_access_key: &'static str,
    region: &'static str,
    service: &'static str,
    timestamp: &'static str,
}

enum CanonicalRequest {
    /// The file goes with the other files.
    SameMoment,
    /// The file is that of another moment, and makes a case of its own.
    At(&'static str),
}

enum StringToSign {
    Published,
    Absent,
}

const EXAMPLE_SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

pub(super) const EXTRA: &[Extra] = &[
    Extra {
        name: "double-encode-path",
        signer: Signer {
            access_key_id: "ANOTREAL",
            secret_access_key: "notrealrnrELgWzOk3IfjzDKtFBhDby",
            region: "us-east-1",
            service: "service",
            timestamp: "2015-08-30T12:36:00Z",
        },
        canonical_request: CanonicalRequest::At("2021-05-11T15:40:45Z"),
        string_to_sign: StringToSign::Absent,
        notes: &[
            Note {
                case: "double-encode-path",
                what: Treatment::Corrected,
                part: "header-canonical-request.txt, a case of its own here,",
                reason: "the file is dated 20210511T154045Z, the request and its signature \
                         20150830T123600Z",
            },
            Note {
                case: "double-encode-path",
                what: Treatment::Skipped,
                part: "string to sign",
                reason: "none is published",
            },
            Note {
                case: "double-encode-path",
                what: Treatment::Skipped,
                part: "query form",
                reason: "none is published",
            },
        ],
    },
    Extra {
        name: "double-url-encode",
        signer: Signer {
            access_key_id: "AKIDEXAMPLE",
            secret_access_key: EXAMPLE_SECRET,
            region: "us-east-2",
            service: "lambda",
            timestamp: "2021-05-11T15:40:45Z",
        },
        canonical_request: CanonicalRequest::SameMoment,
        string_to_sign: StringToSign::Published,
        notes: &[
            Note {
                case: "double-url-encode",
                what: Treatment::Corrected,
                part: "header-signed-request.txt, whose first line is given ` HTTP/1.1`,",
                reason: "every other request of the suite has it",
            },
            Note {
                case: "double-url-encode",
                what: Treatment::Skipped,
                part: "query form",
                reason: "none is published",
            },
        ],
    },
];

impl Extra {
    pub(super) fn load(&self, folder: &Path, suite: &mut Suite) -> Result<(), LoadError> {
        // It carries an X-Amz-Date already, which signing replaces.
        let request = load_message(&folder.join("request.txt"))?;
        let signed_request = load_signed_request(&folder.join("header-signed-request.txt"))?;
        let canonical_request = load_stage(&folder.join("header-canonical-request.txt"))?;

        let mut expected = Expected {
            signature: Some(signature_in(folder, &signed_request)?),
            signed_request: Some(signed_request),
            ..Expected::default()
        };
        if let StringToSign::Published = self.string_to_sign {
            expected.string_to_sign = Some(load_stage(&folder.join("header-string-to-sign.txt"))?);
        }
        match self.canonical_request {
            CanonicalRequest::SameMoment => expected.canonical_request = Some(canonical_request),
            CanonicalRequest::At(moment) => suite.cases.push(Case {
                name: format!("{} (canonical request)", self.name),
                context: self.signer.context(folder, moment)?,
                request: request.clone(),
                derived_key: None,
                header: Some(Expected {
                    canonical_request: Some(canonical_request),
                    ..Expected::default()
                }),
                query: None,
            }),
        }
        suite.cases.push(Case {
            name: self.name.to_owned(),
            context: self.signer.context(folder, self.signer.timestamp)?,
            request,
            derived_key: None,
            header: Some(expected),
            query: None,
        });
        suite.notes.extend_from_slice(self.notes);
        Ok(())
    }
}

impl Signer {
    fn context(&self, folder: &Path, moment: &str) -> Result<Context, LoadError> {
        Ok(Context {
            algorithm: Algorithm::V4,
            access_key_id: self.access_key_id.to_owned(),
            secret_access_key: self.secret_access_key.to_owned(),
            session_token: None,
            region: self.region.to_owned(),
            service: self.service.to_owned(),
            timestamp: timestamp::parse(moment)
                .map_err(|problem| LoadError::malformed(folder, problem))?,
            expires: Duration::from_secs(3600),
            settings: Settings::default(),
        })
    }
}

fn load_signed_request(path: &Path) -> Result<Message, LoadError> {
    const VERSION: &str = " HTTP/1.1";
    let mut text = read(path, "a signed HTTP request as text")?;
    let end = text.find('\n').unwrap_or(text.len());
    if !text[..end].ends_with(VERSION) {
        text.insert_str(end, VERSION);
    }
    Message::parse(&text).map_err(|problem| LoadError::malformed(path, problem))
}

/// These cases have no file for the signature: it is what the signed request ends its claim with.
fn signature_in(folder: &Path, signed: &Message) -> Result<String, LoadError> {
    let claim = signed.header("authorization").unwrap_or_default();
    std::str::from_utf8(claim)
        .ok()
        .and_then(|claim| claim.split_once("Signature="))
        .map(|(_, signature)| signature.to_owned())
        .ok_or_else(|| {
            LoadError::malformed(
                &folder.join("header-signed-request.txt"),
                "no signature is in it; expected an Authorization header with `Signature=`",
            )
        })
}
