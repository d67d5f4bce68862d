//! The headers that say something of a signature, found in one pass.

use crate::error::ClaimError;
use crate::headers;
use crate::request::Request;

/// The headers of a request that a claim is read from, and those that must not stand there twice.
#[derive(Default)]
pub(super) struct Stated<'a> {
    pub(super) authorization: Values<'a>,
    pub(super) content_sha256: Values<'a>,
    pub(super) date: Values<'a>,
    pub(super) amz_date: Values<'a>,
    pub(super) host: Values<'a>,
    pub(super) security_token: Values<'a>,
}

impl<'a> Stated<'a> {
    pub(super) fn of(request: &Request<'a>) -> Self {
        let mut stated = Self::default();
        for &(name, value) in request.headers {
            if let Some(values) = stated.named(name) {
                values.push(value);
            }
        }
        stated
    }

    /// Where the values of a header belong. Most are told apart by the length of their names.
    fn named(&mut self, name: &str) -> Option<&mut Values<'a>> {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        match name.len() {
            4 if is(headers::HOST) => Some(&mut self.host),
            4 if is("date") => Some(&mut self.date),
            10 if is(headers::DATE) => Some(&mut self.amz_date),
            13 if is(headers::AUTHORIZATION) => Some(&mut self.authorization),
            20 if is(headers::CONTENT_SHA256) => Some(&mut self.content_sha256),
            20 if is(headers::SECURITY_TOKEN) => Some(&mut self.security_token),
            _ => None,
        }
    }
}

/// The values of one header: what matters is whether there are none, one, or more.
#[derive(Default)]
pub(super) struct Values<'a> {
    first: Option<&'a [u8]>,
    is_repeated: bool,
}

impl<'a> Values<'a> {
    /// The one value, if there is one. `name` is for the message.
    pub(super) const fn single(&self, name: &'static str) -> Result<Option<&'a [u8]>, ClaimError> {
        if self.is_repeated {
            Err(ClaimError::Repeated { name })
        } else {
            Ok(self.first)
        }
    }

    fn push(&mut self, value: &'a [u8]) {
        self.is_repeated = self.first.is_some();
        self.first.get_or_insert(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_header_is_found_by_its_name_in_any_case() {
        let names = [
            headers::AUTHORIZATION,
            headers::CONTENT_SHA256,
            "date",
            headers::DATE,
            headers::HOST,
            headers::SECURITY_TOKEN,
        ];
        let upper = names.map(str::to_uppercase);
        let lines: Vec<(&str, &[u8])> = upper.iter().map(|n| (n.as_str(), n.as_bytes())).collect();
        let found = |lines: &[(&str, &[u8])]| {
            let stated = Stated::of(&Request::new("GET", "/", lines));
            [
                stated.authorization,
                stated.content_sha256,
                stated.date,
                stated.amz_date,
                stated.host,
                stated.security_token,
            ]
            .map(|values| values.single("x").map(|v| v.map(<[u8]>::to_vec)))
        };
        let expected = upper.clone().map(|name| Ok(Some(name.into_bytes())));
        assert_eq!(found(&lines), expected);
        for times in [2, 3] {
            for values in found(&lines.repeat(times)) {
                assert_eq!(values, Err(ClaimError::Repeated { name: "x" }));
            }
        }
        for values in found(&[("hosts", b"a"), ("x-amz-data", b"b")]) {
            assert_eq!(values, Ok(None));
        }
    }
}
