use std::time::Duration;

use super::{DATE, Hand, ID, Rig, SCOPE, SECRET, sha256_hex, signer};
use crate::credentials::Credentials;
use crate::explain::Mistake;
use crate::sign::Signer;
use crate::time::DateTime;

const HOUR: Duration = Duration::from_secs(3600);

/// Signed with this string to sign and key.
fn by_hand(hand: &Hand) -> Rig {
    let hash = sha256_hex("");
    let canonical =
        format!("GET\n/\n\nhost:example.com\nx-amz-date:{DATE}\n\nhost;x-amz-date\n{hash}");
    Rig::get("/").by_hand(&canonical, hand)
}

fn at(text: &str) -> DateTime {
    DateTime::parse(text).unwrap()
}

fn with(part: usize, value: &'static str) -> [&'static str; 4] {
    let mut scope = SCOPE;
    scope[part] = value;
    scope
}

#[test]
fn the_scope_is_not_the_verifiers() {
    let other = Signer::new(Credentials::new(ID, SECRET), "eu-west-1", "sqs");
    let rig = Rig::post().signed_by(&other);
    let settings = rig.settings.clone().with_region("us-east-1");
    rig.with_settings(settings).assert_mistake(Mistake::Region {
        stated: "eu-west-1".to_owned(),
        right: "us-east-1".to_owned(),
    });
    let other = Signer::new(Credentials::new(ID, SECRET), "us-east-1", "sns");
    Rig::post()
        .signed_by(&other)
        .assert_mistake(Mistake::Service {
            stated: "sns".to_owned(),
            right: "sqs".to_owned(),
        });
}

#[test]
fn the_signature_is_made_for_another_region_or_service() {
    for (part, signed) in [(1, "eu-west-1"), (1, "af-south-1"), (2, "sns"), (2, "aoss")] {
        let scope = with(part, signed);
        let expected = if part == 1 {
            Mistake::SignedRegion {
                signed: signed.to_owned(),
                stated: "us-east-1".to_owned(),
            }
        } else {
            Mistake::SignedService {
                signed: signed.to_owned(),
                stated: "sqs".to_owned(),
            }
        };
        let key_alone = Hand {
            key_scope: scope,
            ..Hand::default()
        };
        by_hand(&key_alone).assert_mistake(expected.clone());
        let both = Hand {
            scope,
            key_scope: scope,
            ..Hand::default()
        };
        by_hand(&both).assert_mistake(expected);
    }
}

#[test]
fn the_region_of_the_host_is_tried() {
    let other = Signer::new(Credentials::new(ID, SECRET), "us-gov-east-2", "sqs");
    let rig = Rig::post()
        .set("host", "sqs.us-gov-east-2.amazonaws.com")
        .signed_by(&other);
    rig.altered("us-gov-east-2", "us-east-1")
        .assert_mistake(Mistake::SignedRegion {
            signed: "us-gov-east-2".to_owned(),
            stated: "us-east-1".to_owned(),
        });
}

#[test]
fn the_scope_is_of_another_day() {
    let yesterday = Hand {
        scope: with(0, "20150829"),
        key_scope: with(0, "20150829"),
        ..Hand::default()
    };
    let stated = Mistake::ScopeDate {
        stated: "20150829".to_owned(),
        request_date: at(DATE),
    };
    by_hand(&yesterday)
        .altered("20150830", "20150829")
        .assert_mistake(stated.clone());
    // The scope alone was altered, the key is of the right day.
    let rig = by_hand(&Hand {
        scope: with(0, "20150829"),
        ..Hand::default()
    });
    let mistakes = rig.altered("20150830", "20150829").mistakes();
    assert!(matches!(&mistakes[..], [Mistake::KeyDate { signed, .. }] if signed == "20150830"));
}

#[test]
fn the_key_is_of_another_day() {
    for day in ["20150829", "20150831"] {
        let hand = Hand {
            key_scope: with(0, day),
            ..Hand::default()
        };
        by_hand(&hand).assert_mistake(Mistake::KeyDate {
            signed: day.to_owned(),
            stated: "20150830".to_owned(),
        });
    }
}

#[test]
fn the_scope_ends_otherwise() {
    let stated = Mistake::Terminator {
        stated: "aws5_request".to_owned(),
    };
    let scope = with(3, "aws5_request");
    for key_scope in [scope, SCOPE] {
        let hand = Hand {
            scope,
            key_scope,
            ..Hand::default()
        };
        by_hand(&hand)
            .altered("aws4_request", "aws5_request")
            .assert_mistake(stated.clone());
    }
}

#[test]
fn another_date_is_signed() {
    let mistake = |signed: &str| Mistake::Date {
        signed: at(signed),
        received: at(DATE),
    };
    // The clock was read twice.
    let hand = Hand {
        date: "20150830T123559Z",
        ..Hand::default()
    };
    by_hand(&hand).assert_mistake(mistake("20150830T123559Z"));
    // The date was written anew on the way.
    let mut rig = Rig::post().signed().set("x-amz-date", "20150830T123601Z");
    rig.now += Duration::from_secs(5);
    rig.assert_mistake(Mistake::Date {
        signed: at(DATE),
        received: at("20150830T123601Z"),
    });
    // `Date` was signed in place of `X-Amz-Date`.
    let hand = Hand {
        date: "20150830T121500Z",
        ..Hand::default()
    };
    let rig = by_hand(&hand).add("Date", "Sun, 30 Aug 2015 12:15:00 GMT");
    rig.assert_mistake(mistake("20150830T121500Z"));
}

#[test]
fn a_clock_is_wrong() {
    let mut rig = Rig::post().signed();
    let signed_at = rig.now;
    let clock = |now: &str, zone| Mistake::Clock {
        request_date: at(DATE),
        now: at(now),
        zone,
    };
    for (now, shown, zone) in [
        (signed_at + HOUR / 3, "20150830T125600Z", None),
        (signed_at - 2 * HOUR, "20150830T103600Z", Some(120)),
        (signed_at + 5 * HOUR, "20150830T173600Z", Some(-300)),
        (signed_at - HOUR * 11 / 2, "20150830T070600Z", Some(330)),
        (signed_at - 20 * HOUR, "20150829T163600Z", None),
    ] {
        rig.now = now;
        rig.assert_mistake(clock(shown, zone));
    }
    // Two minutes late are near enough; a quarter of an hour is no zone, nor is what is over 14 hours.
    for (minutes, seconds, expected) in [
        (120, 120, Some(-120)),
        (120, 121, None),
        (16, 0, None),
        (30, 0, Some(-30)),
        (840, 0, Some(-840)),
        (855, 0, None),
    ] {
        rig.now = signed_at + Duration::from_secs(60 * minutes + seconds);
        let mistakes = rig.mistakes();
        let is_it = matches!(&mistakes[..], [Mistake::Clock { zone, .. }] if *zone == expected);
        assert!(is_it, "{minutes} {seconds}: {mistakes:?}");
    }
}

#[test]
fn a_presigned_request_is_too_old() {
    let mut rig = Rig::get("/").presigned_by(&signer());
    rig.now += 2 * HOUR;
    rig.assert_mistake(Mistake::PresignedExpired {
        limit: at("20150830T133600Z"),
        now: at("20150830T143600Z"),
    });
}

#[test]
fn another_algorithm_is_signed() {
    for algorithm in ["AWS4-ECDSA-P256-SHA256", "AWS4-HMAC-SHA1"] {
        let hand = Hand {
            algorithm,
            ..Hand::default()
        };
        by_hand(&hand).assert_mistake(Mistake::Algorithm { signed: algorithm });
    }
}
