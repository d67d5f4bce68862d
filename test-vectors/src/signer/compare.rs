//! What a signer answered, against what is published.

use serde::Deserialize;

use super::program::shown;
use crate::case::{Algorithm, Case, Expected, Form};
use crate::report::Failure;
use crate::run::published_key_verifies;

/// What a signer answered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Answer {
    /// The value of the `Authorization` header.
    pub authorization: Option<String>,
    /// The whole query of the signed request.
    pub query: Option<String>,
    /// The canonical request, where the signer shows it.
    pub canonical_request: Option<String>,
    /// The string to sign, where the signer shows it.
    pub string_to_sign: Option<String>,
    /// Why it does not sign this.
    pub error: Option<String>,
}

impl Answer {
    /// Reads an answer: an object of JSON. Members that are not known are passed over.
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong, and shows the line's beginning.
    pub fn parse(line: &str) -> Result<Self, String> {
        let answer: Self = serde_json::from_str(line)
            .map_err(|error| format!("{error}: {}", shown(line.as_bytes())))?;
        let parts = [&answer.authorization, &answer.query, &answer.error];
        if parts.iter().all(|part| part.is_none()) {
            let line = shown(line.as_bytes());
            return Err(format!("neither `authorization` nor `query`: {line}"));
        }
        Ok(answer)
    }

    pub(super) fn failures(&self, case: &Case, form: Form, expected: &Expected) -> Vec<Failure> {
        if let Some(error) = &self.error {
            return vec![Failure::new("the answer", "a signature", error)];
        }
        // What follows from a wrong stage is wrong too, and would only hide where it began.
        let texts = [
            (
                "canonical request",
                &expected.canonical_request,
                &self.canonical_request,
            ),
            (
                "string to sign",
                &expected.string_to_sign,
                &self.string_to_sign,
            ),
        ];
        for (stage, expected, got) in texts {
            if let (Some(expected), Some(got)) = (expected, got)
                && expected != got
            {
                return vec![Failure::new(stage, expected, got)];
            }
        }
        let (stage, answered) = match form {
            Form::Header => ("authorization", self.authorization.as_deref()),
            Form::Query => ("query", self.query.as_deref()),
        };
        let Some(answered) = answered else {
            return vec![Failure::new(stage, "to be answered", "it is absent")];
        };
        let got = Claim::read(form, answered);
        let signed = expected.signed_request.as_ref();
        let claim = signed.and_then(|signed| match form {
            Form::Header => signed.header("authorization"),
            Form::Query => signed.query(),
        });
        let claim = claim.map(|claim| Claim::read(form, &String::from_utf8_lossy(claim)));
        let mut failures = Vec::new();
        match case.context.algorithm {
            Algorithm::V4 => {
                compare_claims(&mut failures, stage, claim.as_ref(), &got);
                let signature = expected.signature.as_deref();
                if claim.is_none() && signature != got.signature() {
                    let got = got.signature().unwrap_or_default();
                    let signature = signature.unwrap_or_default();
                    failures.push(Failure::new("signature", signature, got));
                }
            }
            Algorithm::V4a => {
                let masked = claim.as_ref().map(Claim::without_signature);
                compare_claims(
                    &mut failures,
                    stage,
                    masked.as_ref(),
                    &got.without_signature(),
                );
                let signature = got.signature().unwrap_or_default();
                if !published_key_verifies(case, expected, signature) {
                    let right = "one that the published key verifies";
                    failures.push(Failure::new("signature", right, signature));
                }
            }
        }
        failures
    }
}

fn compare_claims(failures: &mut Vec<Failure>, stage: &str, expected: Option<&Claim>, got: &Claim) {
    if let Some(expected) = expected
        && expected != got
    {
        failures.push(Failure::new(stage, &expected.to_text(), &got.to_text()));
    }
}

/// A header or query in pieces, in an order of its own: in what order they were written is free.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Claim {
    pieces: Vec<String>,
    marker: &'static str,
}

impl Claim {
    fn read(form: Form, text: &str) -> Self {
        let (mut pieces, marker): (Vec<String>, _) = match form {
            Form::Header => {
                let (algorithm, parameters) = text.trim().split_once(' ').unwrap_or((text, ""));
                let parameters = parameters.split(',').map(|piece| piece.trim().to_owned());
                let algorithm = algorithm.to_owned();
                (
                    std::iter::once(algorithm).chain(parameters).collect(),
                    "Signature=",
                )
            }
            Form::Query => {
                let query = text.strip_prefix('?').unwrap_or(text);
                let pieces = query.split('&').filter(|piece| !piece.is_empty());
                (pieces.map(decoded).collect(), "X-Amz-Signature=")
            }
        };
        pieces.sort();
        Self { pieces, marker }
    }

    fn signature(&self) -> Option<&str> {
        let mut pieces = self.pieces.iter();
        pieces.find_map(|piece| piece.strip_prefix(self.marker))
    }

    fn without_signature(&self) -> Self {
        let pieces = self.pieces.iter();
        Self {
            pieces: pieces
                .filter(|piece| !piece.starts_with(self.marker))
                .cloned()
                .collect(),
            marker: self.marker,
        }
    }

    fn to_text(&self) -> String {
        self.pieces.join("\n")
    }
}

/// A parameter in one spelling: what is escaped and need not be, is not.
fn decoded(piece: &str) -> String {
    let bytes = piece.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%')
            .then(|| bytes.get(at + 1..at + 3))
            .flatten()
            .and_then(|digits| hex::decode(digits).ok());
        match escaped {
            Some(byte) => {
                plain.extend(byte);
                at += 3;
            }
            None => {
                plain.push(bytes[at]);
                at += 1;
            }
        }
    }
    match String::from_utf8(plain) {
        Ok(text) if !text.contains(['\n', '&']) => text,
        // Not shown in a way that could be taken for another parameter.
        Ok(_) | Err(_) => piece.to_ascii_uppercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_spelling_are_free() {
        for (one, other) in [
            (
                "A Credential=c, SignedHeaders=h, Signature=s",
                "A Signature=s,Credential=c,SignedHeaders=h",
            ),
            ("A Signature=s", " A   Signature=s "),
        ] {
            assert_eq!(
                Claim::read(Form::Header, one),
                Claim::read(Form::Header, other)
            );
        }
        for (one, other) in [
            ("a=%7e&b=c&X-Amz-Signature=s", "?b=c&X-Amz-Signature=s&a=~"),
            ("a=%ff&&b", "b&a=%FF&"),
        ] {
            assert_eq!(
                Claim::read(Form::Query, one),
                Claim::read(Form::Query, other)
            );
        }
        let claim = Claim::read(Form::Query, "a=b&X-Amz-Signature=s");
        assert_eq!(claim.signature(), Some("s"));
        assert_eq!(claim.without_signature().to_text(), "a=b");
        assert_ne!(
            Claim::read(Form::Query, "a=%26b"),
            Claim::read(Form::Query, "a=&b")
        );
    }

    #[test]
    fn what_is_no_answer_says_why() {
        for (line, said) in [
            ("", "EOF"),
            ("hello", "expected value at line 1 column 1: hello"),
            ("[]", "neither"),
            ("{}", "neither `authorization` nor `query`: {}"),
            ("{\"authorization\": 1}", "expected a string"),
        ] {
            let problem = Answer::parse(line).unwrap_err();
            assert!(problem.contains(said), "{line:?}: {problem}");
        }
        let long = "x".repeat(10_000);
        assert!(Answer::parse(&long).unwrap_err().len() < 400);
        assert!(Answer::parse("{\"query\": \"a\", \"more\": []}").is_ok());
    }
}
