//! `sigv4` as a signer that the runner can ask: `--signer target/debug/sigv4-signer`.
//!
//! It shows how little such a program has to do, and lets the tests ask one that makes no mistake.

use std::io::{BufRead, Write, stdin, stdout};
use std::process::ExitCode;

use serde_json::{Value, json};
use test_vectors::case::Form;
use test_vectors::message::Message;
use test_vectors::run::Subject;
use test_vectors::signer::Question;
use test_vectors::subject::Sigv4;

fn main() -> ExitCode {
    let mut output = stdout().lock();
    for line in stdin().lock().lines() {
        let answer = line
            .map_err(|error| error.to_string())
            .and_then(|line| answer(&line));
        let answer = answer.unwrap_or_else(|error| json!({ "error": error }));
        if writeln!(output, "{answer}")
            .and_then(|()| output.flush())
            .is_err()
        {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn answer(line: &str) -> Result<Value, String> {
    let (case, form) = Question::parse(line)?.into_case()?;
    let stages = Sigv4.sign(&case, form)?;
    let text =
        |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let signed: &Message = &stages.signed_request;
    let (member, claim) = match form {
        Form::Header => ("authorization", text(signed.header("authorization"))),
        Form::Query => ("query", text(signed.query())),
    };
    Ok(json!({
        member: claim,
        "canonical_request": stages.canonical_request,
        "string_to_sign": stages.string_to_sign,
    }))
}
