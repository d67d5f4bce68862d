//! Random legal requests, as wild as both signers allow. What is left out is shown to differ in
//! `differences.rs`, and each omission here names its test there.

use std::time::{Duration, UNIX_EPOCH};

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use sigv4::{ContentSha256, PathEncoding, PathNormalization, SessionToken, Settings};

use crate::{Body, Form, Sample};

pub(crate) fn sample() -> impl Strategy<Value = Sample> {
    let request = (
        method(),
        settings().prop_flat_map(|settings| (Just(settings), path(settings))),
    )
        .prop_flat_map(|(method, path)| (Just(method), Just(path), query(), headers(), body()));
    let signer = (
        option::of("[A-Za-z0-9+/=]{1,60}"),
        "[a-z]{2}-[a-z]{4,9}-[1-9]",
        "[a-z][a-z0-9-]{1,12}",
        form(),
        0..4_102_444_800_u64,
        0..1_000_000_000_u32,
    );
    (request, signer).prop_map(|(request, signer)| {
        let (method, (settings, path), query, headers, body) = request;
        let (session_token, region, service, form, seconds, nanoseconds) = signer;
        let target = match query {
            Some(query) => format!("{path}?{query}"),
            None => path,
        };
        Sample {
            method,
            target,
            headers,
            body,
            session_token,
            region,
            service,
            settings,
            form,
            now: UNIX_EPOCH + Duration::new(seconds, nanoseconds),
        }
    })
}

fn method() -> impl Strategy<Value = String> {
    let known = select(vec![
        "GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS",
    ]);
    prop_oneof![4 => known.prop_map(str::to_owned), 1 => "[A-Z]{3,10}"]
}

fn settings() -> impl Strategy<Value = Settings> {
    (
        select(vec![PathEncoding::Double, PathEncoding::Single]),
        select(vec![PathNormalization::Normalize, PathNormalization::AsIs]),
        select(vec![SessionToken::Signed, SessionToken::AppendedUnsigned]),
        select(vec![ContentSha256::Omit, ContentSha256::Add]),
    )
        .prop_map(
            |(path_encoding, path_normalization, session_token, content_sha256)| {
                Settings::default()
                    .with_path_encoding(path_encoding)
                    .with_path_normalization(path_normalization)
                    .with_session_token(session_token)
                    .with_content_sha256(content_sha256)
            },
        )
}

fn form() -> impl Strategy<Value = Form> {
    let query = (1..=604_800_u64).prop_map(|seconds| Form::Query {
        expires: Duration::from_secs(seconds),
    });
    prop_oneof![Just(Form::Header), query]
}

fn path(settings: Settings) -> impl Strategy<Value = String> {
    let plain = "[A-Za-z0-9._~-]{1,6}";
    let escape = "%(2[0-9A-F]|3[A-F]|5[B-E]|7[B-D]|[89A-F][0-9A-F])";
    let piece = match settings.path_encoding {
        // Any spelling: it is encoded once more.
        PathEncoding::Double => prop_oneof![
            4 => plain,
            2 => "%[0-9A-Fa-f]{2}",
            1 => "[!$&'()*+,;=:@]{1,3}",
            1 => select(vec!["é", "日本", "🚀", "%", "%zz"]).prop_map(str::to_owned),
        ]
        .boxed(),
        // Only the canonical spelling: `single_encoding_takes_any_spelling_of_a_path`.
        PathEncoding::Single => prop_oneof![4 => plain, 2 => escape]
            .prop_filter("unreserved characters are not escaped", |piece| {
                !["%2D", "%2E"].contains(&piece.as_str())
            })
            .boxed(),
    };
    let name = vec(piece, 0..4).prop_map(|pieces| pieces.concat());
    let dots = select(vec!["", ".", "..", "..."]).prop_map(str::to_owned);
    vec(prop_oneof![3 => name, 2 => dots], 0..6).prop_map(|segments| {
        let path = segments.join("/");
        format!("/{path}")
    })
}

/// No `+` (`a_plus_is_no_space`), no escape of what is not UTF-8 (`bytes_that_are_no_text_are_kept`),
/// no parameter of a signature (`a_presigned_url_is_signed_again_without_its_old_parameters`).
fn query() -> impl Strategy<Value = Option<String>> {
    let escaped = any::<char>().prop_map(|character| {
        let mut buffer = [0; 4];
        let bytes = character.encode_utf8(&mut buffer).bytes();
        bytes.map(|byte| format!("%{byte:02X}")).collect::<String>()
    });
    let piece = prop_oneof![
        4 => "[A-Za-z0-9._~-]{1,5}",
        2 => escaped.clone(),
        1 => escaped.prop_map(|text| text.to_lowercase()),
        1 => "[!$'()*,;:@/?]{1,3}",
        1 => select(vec!["é", "日本", "%-", "%zz"]).prop_map(str::to_owned),
    ];
    let text = vec(piece, 0..3).prop_map(|pieces| pieces.concat());
    let parameter = prop_oneof![
        6 => (text.clone(), text.clone()).prop_map(|(key, value)| format!("{key}={value}")),
        2 => text.clone(),
        1 => text.prop_map(|value| format!("repeated={value}=")),
    ];
    option::weighted(
        0.7,
        vec(parameter, 0..8).prop_map(|parameters| parameters.join("&")),
    )
}

/// One `Host` (`a_request_without_one_host_is_an_error`), no tab in a value
/// (`tabs_are_white_space_too`), none of the headers that only one of the signers leaves out
/// (`hop_by_hop_headers_are_left_out`, `x_amz_headers_are_signed_in_a_presigned_url_too`), none that
/// signing sets (`headers_of_an_earlier_signature_are_replaced`).
fn headers() -> impl Strategy<Value = Vec<(String, String)>> {
    let name = prop_oneof![
        3 => "X-[A-Za-z0-9_.!#$&'*^`|~+-]{1,8}",
        3 => select(vec![
            "Content-Type", "content-length", "X-Repeated", "x-repeated", "X-REPEATED", "Accept",
            "User-Agent", "X-Amzn-Trace-Id", "Transfer-Encoding", "X-Amz-Target", "X-Amz-Meta-A",
            "Range", "Date", "If-Match", "Cookie",
        ]).prop_map(str::to_owned),
    ]
    .prop_filter("no header of a signature", |name| {
        !name.eq_ignore_ascii_case("x-amz-date")
    });
    let value = prop_oneof![
        4 => "[ -~]{0,20}",
        2 => "( {0,3}[a-z\",;=]{0,3}){0,4} {0,2}",
        1 => "[ é日ÿ]{0,5}",
    ];
    let host = "[a-z]{1,8}(\\.[a-z0-9]{1,5}){0,3}(:[1-9][0-9]{1,3})?";
    (host, vec((name, value), 0..7), any::<prop::sample::Index>()).prop_map(
        |(host, mut headers, at)| {
            headers.insert(at.index(headers.len() + 1), ("Host".to_owned(), host));
            headers
        },
    )
}

fn body() -> impl Strategy<Value = Body> {
    prop_oneof![
        4 => vec(any::<u8>(), 0..200).prop_map(Body::Bytes),
        1 => Just(Body::Unsigned),
    ]
}
