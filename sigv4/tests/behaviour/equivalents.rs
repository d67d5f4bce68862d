//! Which spellings of a request are the same to a signature, and which are not: the whole list.

use sigv4::{
    Credentials, PathEncoding, PathNormalization, Payload, Settings, Signer, VerifySettings,
};

use crate::wire::{ACCESS_KEY, SECRET, Wire, after};

fn request(path: &str) -> Wire {
    Wire {
        method: "POST".to_owned(),
        path: path.into(),
        query: Some(b"b=2&a=x%20y&a=%7E&plus=1%2B1&empty=".to_vec()),
        headers: [
            ("Host", "example.com"),
            ("X-Amz-Target", "AmazonSQS.ListQueues"),
            ("Cookie", "a  b"),
            ("Accept", "x"),
            ("Accept", "y"),
            ("User-Agent", "before"),
        ]
        .map(|(name, value)| (name.to_owned(), value.into()))
        .to_vec(),
        body: b"{}".to_vec(),
    }
}

fn signed_at(path: &str, settings: Settings) -> Wire {
    let credentials = Credentials::new(ACCESS_KEY, SECRET);
    let signer = Signer::new(credentials, "us-east-1", "sqs").with_settings(settings);
    let wire = request(path);
    let signed = wire
        .with_request(|request| signer.sign(request, Payload::Bytes(&wire.body), after(0)))
        .unwrap();
    wire.signed(&signed)
}

/// Whether a request that was signed as `request("/a/b%20c")` verifies after a change.
fn verifies(change: impl FnOnce(&mut Wire)) -> bool {
    let mut wire = signed_at("/a/b%20c", Settings::default());
    assert!(wire.verify(&VerifySettings::default(), 0).is_ok());
    let before = wire.clone();
    change(&mut wire);
    assert_ne!(wire, before, "the change changes something");
    wire.verify(&VerifySettings::default(), 0).is_ok()
}

fn with_query(query: &str) -> bool {
    verifies(|wire| wire.query = Some(query.into()))
}

fn with_path(path: &str) -> bool {
    verifies(|wire| wire.path = path.into())
}

fn with_header(name: &str, value: &str) -> bool {
    verifies(|wire| {
        let at = wire.position(name);
        wire.headers[at].1 = value.into();
    })
}

#[test]
fn queries() {
    for same in [
        // In another order.
        "a=%7E&a=x%20y&b=2&empty=&plus=1%2B1",
        // Encoded more, less, or in lower case.
        "%62=%32&a=x y&a=~&plus=1+1&empty=",
        "b=2&a=x%20y&a=%7e&plus=1%2b1&empty=",
        // An empty value without its equal sign, empty pieces.
        "&b=2&&a=x%20y&a=%7E&plus=1%2B1&empty&",
    ] {
        assert!(with_query(same), "{same}");
    }
    for other in [
        "",
        "b=2&a=x%20y&a=%7E&plus=1%2B1",
        "b=2&a=x+y&a=%7E&plus=1%2B1&empty=",
        "b=2&a=x%20y&a=%7E&plus=1%201&empty=",
        "b=2&a=x%2520y&a=%7E&plus=1%2B1&empty=",
        "b=2&a=x%20y&a=%7E&a=%7E&plus=1%2B1&empty=",
        "B=2&a=x%20y&a=%7E&plus=1%2B1&empty=",
    ] {
        assert!(!with_query(other), "{other}");
    }
}

#[test]
fn paths() {
    for same in [
        "/a/./b%20c",
        "//a//b%20c",
        "/x/../a/b%20c",
        "/../a/b%20c",
        "a/b%20c",
    ] {
        assert!(with_path(same), "{same}");
    }
    for other in [
        "/a/b c",
        "/a/b%2520c",
        "/a/b%20C",
        "/a/b%20c/",
        "/a%2Fb%20c",
        "/a/%2E/b%20c",
        "/A/b%20c",
        "",
    ] {
        assert!(!with_path(other), "{other}");
    }
}

#[test]
fn paths_as_they_are_encoded_once() {
    let as_is = Settings::default()
        .with_path_encoding(PathEncoding::Single)
        .with_path_normalization(PathNormalization::AsIs);
    let settings = VerifySettings::default()
        .with_path_encoding(PathEncoding::Single)
        .with_path_normalization(PathNormalization::AsIs);
    let verifies = |path: &str| {
        let mut wire = signed_at("/a//b%20c~%2F@", as_is);
        wire.path = path.into();
        wire.verify(&settings, 0).is_ok()
    };
    for same in [
        "/a//b%20c~%2F@",
        "/a//b c%7E%2f%40",
        "/%61//b%20c~%2F@",
        "a//b%20c~%2F@",
    ] {
        assert!(verifies(same), "{same}");
    }
    for other in [
        "/a/b%20c~%2F@",
        "/a//b%20c~/@",
        "/a//b%2520c~%2F@",
        "/a/./b%20c~%2F@",
    ] {
        assert!(!verifies(other), "{other}");
    }
}

#[test]
fn headers() {
    // White space around and in a value.
    for same in [" a b ", "a \t b", "a\r\n b"] {
        assert!(with_header("Cookie", same), "{same:?}");
    }
    for other in ["ab", "a b c", "A b", "a,b", "\"a b\"", ""] {
        assert!(!with_header("Cookie", other), "{other:?}");
    }
    // A name in another case, and another order of different names.
    assert!(verifies(
        |wire| wire.headers[1].0 = "x-amz-target".to_owned()
    ));
    assert!(verifies(|wire| wire.headers.reverse_names()));
    // A repeated header on one line.
    assert!(verifies(|wire| {
        wire.headers[3].1 = b"x,y".to_vec();
        wire.headers.remove(4);
    }));
    assert!(!verifies(|wire| {
        wire.headers[3].1 = b"x, y".to_vec();
        wire.headers.remove(4);
    }));
    assert!(!verifies(|wire| wire.headers.swap(3, 4)));
    // What is not signed.
    assert!(with_header("User-Agent", "after"));
    assert!(verifies(|wire| wire
        .headers
        .push(("X-Forwarded-For".to_owned(), b"10.0.0.1".to_vec()))));
    assert!(!verifies(|wire| wire
        .headers
        .push(("X-Amz-Extra".to_owned(), b"1".to_vec()))));
}

#[test]
fn the_authorization_header() {
    let respelled = |respell: fn(&str) -> String| {
        verifies(|wire| {
            let at = wire.position("Authorization");
            wire.headers[at].1 = respell(&wire.header("Authorization")).into_bytes();
        })
    };
    assert!(respelled(|header| header.replace(", ", ",")));
    assert!(respelled(|header| {
        let (algorithm, rest) = header.split_once(' ').unwrap();
        let mut parameters: Vec<&str> = rest.split(", ").collect();
        parameters.reverse();
        format!("{algorithm}  {}", parameters.join(" , "))
    }));
    assert!(!respelled(str::to_lowercase));
    assert!(!respelled(
        |header| header.replace("AKIDEXAMPLE", "AKIDEXAMPLE/")
    ));
    assert!(!respelled(|header| header.replace("us-east-1", "us-east-2")));
    assert!(!respelled(|header| header.replace("/sqs/", "/sns/")));
}

#[test]
fn everything_else_counts() {
    assert!(!verifies(|wire| wire.method = "PUT".to_owned()));
    assert!(!verifies(|wire| wire.method = "post".to_owned()));
    assert!(!verifies(|wire| wire.body.push(b' ')));
    assert!(!verifies(|wire| wire.body.clear()));
    assert!(!with_header("Host", "example.com:80"));
    assert!(!with_header("X-Amz-Date", "20150830T123601Z"));
}

/// The lines in reverse, but those of one name in their order.
trait ReverseNames {
    fn reverse_names(&mut self);
}

impl ReverseNames for Vec<(String, Vec<u8>)> {
    fn reverse_names(&mut self) {
        self.reverse();
        let repeated: Vec<usize> = (0..self.len())
            .filter(|&at| self[at].0.eq_ignore_ascii_case("accept"))
            .collect();
        self.swap(repeated[0], repeated[1]);
    }
}
