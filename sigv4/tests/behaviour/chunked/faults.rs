//! Each way in which a body can be wrong has its error.

use sigv4::{ChunkLimits, ChunkedFault};

use super::{
    SIGNED, SIGNED_TRAILER, UNSIGNED_TRAILER, Upload, chunk_size, decode_whole, encode, fault,
};

/// A body without signatures, whose framing can be written by hand.
fn unsigned(length: usize, body: &str) -> Option<ChunkedFault> {
    let (upload, _) = Upload::new(UNSIGNED_TRAILER, length, "a,b").signed();
    decode_whole(upload.decoder(), body.as_bytes())
        .error
        .map(|error| error.fault)
}

#[test]
fn each_fault_of_the_framing_has_its_error() {
    let end = "0\r\na:1\r\nb:2\r\n\r\n";
    let with_end = |body: &str| format!("{body}{end}");
    for good in [
        "2\r\nhi\r\n",
        "1\r\nh\r\n1\r\ni\r\n",
        "0000000000000002\r\nhi\r\n",
    ] {
        assert_eq!(unsigned(2, &with_end(good)), None, "{good:?}");
    }
    assert_eq!(unsigned(10, &with_end("A\r\n0123456789\r\n")), None);
    for bad in [
        "\r\n",
        "x\r\n",
        "2\n",
        " 2\r\n",
        "2 \r\n",
        "+2\r\n",
        "0x2\r\n",
        "2;\r\n",
        "2;a=b\r\n",
        "2\r\r\n",
        "00000000000000002\r\n",
        "2;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n",
    ] {
        let refused = unsigned(2, &with_end(&format!("{bad}hi\r\n")));
        let is_header = matches!(&refused, Some(ChunkedFault::Header { found }) if found == bad);
        assert!(is_header || bad.len() > 60, "{bad:?}: {refused:?}");
    }
    let limit = 256;
    let too_long = Some(ChunkedFault::HeaderTooLong { limit });
    assert_eq!(unsigned(2, &"0".repeat(256)), too_long);
    assert_eq!(unsigned(2, &"0".repeat(255)), Some(ChunkedFault::Truncated));
    for bad in ["2\r\nhi\n", "2\r\nhi!\r\n", "2\r\nhi\rx", "2\r\nhi0\r\n"] {
        assert_eq!(
            unsigned(2, &with_end(bad)),
            Some(ChunkedFault::ChunkEnd),
            "{bad:?}"
        );
    }
    let declared = 2;
    let too_long = Some(ChunkedFault::TooLong { declared });
    for bad in [
        "3\r\n",
        "2\r\nhi\r\n1\r\n",
        "ffffffffffffffff\r\n",
        "1\r\nh\r\nffffffffffffffff\r\n",
    ] {
        assert_eq!(unsigned(2, bad), too_long, "{bad:?}");
    }
    let actual = 1;
    let too_short = Some(ChunkedFault::TooShort { declared, actual });
    assert_eq!(unsigned(2, &with_end("1\r\nh\r\n")), too_short);
}

#[test]
fn each_fault_of_the_trailers_has_its_error() {
    let end = |trailers: &str| unsigned(0, &format!("0\r\n{trailers}"));
    assert_eq!(end("b:2\r\n\r\na:1\r\n\r\n"), None);
    let name = |name: &str| name.to_owned();
    for bad in ["a", ":1", "a b:1", "a:", "a: ", "a:\u{1}", "é:1", "a:é"] {
        let found = bad.to_owned();
        assert_eq!(
            end(&format!("{bad}\r\n")),
            Some(ChunkedFault::Trailer { found })
        );
    }
    assert_eq!(
        end("c:1\r\n"),
        Some(ChunkedFault::TrailerNotAnnounced { name: name("c") })
    );
    let long = end(&format!("{}:1\r\n", "c".repeat(1000)));
    let cut = name(&"c".repeat(128));
    assert_eq!(long, Some(ChunkedFault::TrailerNotAnnounced { name: cut }));
    // Nothing signs these.
    assert_eq!(
        end("x-amz-trailer-signature:1\r\n"),
        Some(ChunkedFault::TrailerNotAnnounced {
            name: name("x-amz-trailer-signature")
        })
    );
    assert_eq!(
        end("a:1\r\nA:1\r\n"),
        Some(ChunkedFault::TrailerRepeated { name: name("a") })
    );
    let missing = Some(ChunkedFault::TrailerMissing { name: name("b") });
    assert_eq!(end("a:1\r\n"), missing);
    assert_eq!(end("a:1\r\n\r\n"), missing);
    assert_eq!(end("a:1\r\nb:2\r\n"), Some(ChunkedFault::Truncated));
    assert_eq!(end("a:1\r\nb:2\r"), Some(ChunkedFault::Truncated));
    let limit = 16 * 1024;
    let too_long = Some(ChunkedFault::TrailersTooLong { limit });
    assert_eq!(end(&"\r\n".repeat(limit)), too_long);
    assert_eq!(end(&"a".repeat(limit)), too_long);
}

#[test]
fn signed_trailers_come_before_their_signature_and_with_it() {
    let (upload, encoder) = Upload::new(SIGNED_TRAILER, 0, "a,b").signed();
    let body = encode(encoder, b"", &[("b", "2"), ("a", "1")]);
    let body = String::from_utf8(body).unwrap();
    let refused = |body: &str| fault(upload.decoder(), body.as_bytes());
    assert_eq!(decode_whole(upload.decoder(), body.as_bytes()).error, None);
    // The order does not count.
    let other = body.replace("b:2\r\na:1\r\n", "a:1\r\nb:2\r\n");
    assert_eq!(decode_whole(upload.decoder(), other.as_bytes()).error, None);
    let name = "a".to_owned();
    let missing = ChunkedFault::TrailerMissing { name };
    assert_eq!(refused(&body.replace("a:1\r\n", "")), missing);
    let is_mismatch = |fault| matches!(fault, ChunkedFault::SignatureMismatch { .. });
    assert!(is_mismatch(refused(&body.replace("a:1", "a:2"))));
    assert!(is_mismatch(refused(
        &body.replace("b:2\r\na:1", "b:1\r\na:2")
    )));
    let (start, signature) = body.split_once("x-amz-trailer-signature").unwrap();
    assert_eq!(refused(start), ChunkedFault::Truncated);
    assert_eq!(
        refused(&format!("{start}\r\n\r\n")),
        ChunkedFault::Truncated
    );
    let upper = format!("{start}x-amz-trailer-signature{}", signature.to_uppercase());
    assert!(is_mismatch(refused(&upper)));
}

#[test]
fn chunks_are_refused_in_another_order_or_number() {
    let (upload, encoder) = Upload::new(SIGNED, 4, "").signed();
    let body = encode(encoder.with_chunk_size(chunk_size(1)), b"abab", &[]);
    // A line of 84 bytes, a byte, two more.
    let chunk = |at: usize| &body[at * 87..(at + 1) * 87];
    let last = &body[4 * 87..];
    let all = |chunks: &[&[u8]]| decode_whole(upload.decoder(), &chunks.concat());
    let good = all(&[chunk(0), chunk(1), chunk(2), chunk(3), last]);
    assert_eq!((good.data, good.error), (b"abab".to_vec(), None));
    for (chunks, offset, data) in [
        // Equal data, but not the signature of its place.
        (
            vec![chunk(0), chunk(1), chunk(0), chunk(3), last],
            174,
            "ab",
        ),
        (vec![chunk(2), chunk(1), chunk(0), chunk(3), last], 0, ""),
        (vec![chunk(0), chunk(2), chunk(3), chunk(1), last], 87, "a"),
    ] {
        let decoded = all(&chunks);
        let error = decoded.error.unwrap();
        assert!(matches!(
            error.fault,
            ChunkedFault::SignatureMismatch { .. }
        ));
        assert_eq!((error.offset, &decoded.data[..]), (offset, data.as_bytes()));
    }
    let (declared, actual) = (4, 3);
    let cut = all(&[chunk(0), chunk(1), chunk(2), last]).error.unwrap();
    assert_eq!(cut.fault, ChunkedFault::TooShort { declared, actual });
    assert_eq!(
        cut.to_string(),
        "the chunks hold 3 bytes, x-amz-decoded-content-length says 4 \
         (at byte 261 of the aws-chunked body)"
    );
}

/// Whatever follows the last of signed chunks, nobody signed it.
#[test]
fn nothing_follows_signed_chunks() {
    let (upload, encoder) = Upload::new(SIGNED, 1, "").signed();
    let body = encode(encoder, b"a", &[]);
    let last = &body[87..];
    for more in ["\r", "\r\n", "\n", "0", "x-a:1\r\n\r\n"] {
        let refused = fault(upload.decoder(), &[&body, more.as_bytes()].concat());
        assert_eq!(refused, ChunkedFault::AfterEnd, "{more:?}");
    }
    // Not the last chunk once more, and no chunk after it.
    for more in [last, &body[..87], &body] {
        let refused = fault(upload.decoder(), &[&body, more].concat());
        assert_eq!(refused, ChunkedFault::AfterEnd);
    }
    // Nor does the end come before the chunk, or without its own line end.
    let (declared, actual) = (1, 0);
    assert_eq!(
        fault(upload.decoder(), &[last, &body].concat()),
        ChunkedFault::TooShort { declared, actual }
    );
    for cut in 1..=last.len() {
        let refused = fault(upload.decoder(), &body[..body.len() - cut]);
        assert_eq!(refused, ChunkedFault::Truncated, "{cut}");
    }
}

#[test]
fn a_signed_chunk_is_held_only_within_the_limit() {
    let (upload, encoder) = Upload::new(SIGNED, 4096, "").signed();
    let body = encode(encoder, &[7; 4096], &[]);
    let limited = |limit| {
        let limits = ChunkLimits::default().with_chunk_bytes(limit);
        decode_whole(upload.decoder().with_limits(limits), &body)
    };
    assert_eq!(limited(4096).error, None);
    let (size, limit) = (4096, 4095);
    let error = limited(4095).error.unwrap();
    assert_eq!(error.fault, ChunkedFault::ChunkTooLarge { size, limit });
}
