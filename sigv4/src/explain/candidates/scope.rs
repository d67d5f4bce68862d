//! Other regions, services, days, dates and algorithms than the request states.

use super::{Candidates, Facet, Reach};
use crate::explain::case::{Case, clip};
use crate::explain::draft::Draft;
use crate::explain::mistake::Mistake;
use crate::headers::{self, DATE};
use crate::region::region_from_host;
use crate::scope::{TERMINATOR, is_scope_part};
use crate::time::DateTime;

/// Where each part of a scope stands.
const DAY: usize = 0;
const REGION: usize = 1;
const SERVICE: usize = 2;
const END: usize = 3;

/// AWS's regions, those that most people use first.
const REGIONS: [&str; 40] = [
    "us-east-1",
    "us-west-2",
    "us-east-2",
    "eu-west-1",
    "eu-central-1",
    "us-west-1",
    "eu-west-2",
    "eu-west-3",
    "eu-north-1",
    "ap-southeast-1",
    "ap-southeast-2",
    "ap-northeast-1",
    "ap-northeast-2",
    "ap-south-1",
    "sa-east-1",
    "ca-central-1",
    "eu-central-2",
    "eu-south-1",
    "eu-south-2",
    "ap-east-1",
    "ap-east-2",
    "ap-northeast-3",
    "ap-south-2",
    "ap-southeast-3",
    "ap-southeast-4",
    "ap-southeast-5",
    "ap-southeast-7",
    "ca-west-1",
    "mx-central-1",
    "me-central-1",
    "me-south-1",
    "il-central-1",
    "af-south-1",
    "us-gov-east-1",
    "us-gov-west-1",
    "cn-north-1",
    "cn-northwest-1",
    "eusc-de-east-1",
    "local",
    "auto",
];

/// The signing names of the services that most people use.
const SERVICES: [&str; 32] = [
    "sqs",
    "s3",
    "sns",
    "dynamodb",
    "lambda",
    "execute-api",
    "sts",
    "iam",
    "kinesis",
    "firehose",
    "logs",
    "monitoring",
    "events",
    "states",
    "secretsmanager",
    "ssm",
    "kms",
    "ec2",
    "ecr",
    "ecs",
    "es",
    "aoss",
    "ses",
    "cognito-idp",
    "cloudformation",
    "route53",
    "athena",
    "glue",
    "bedrock",
    "rds-db",
    "iotdata",
    "service",
];

const ALGORITHMS: [&str; 7] = [
    "AWS4-ECDSA-P256-SHA256",
    "AWS4-HMAC-SHA256-PAYLOAD",
    "AWS4-HMAC-SHA1",
    "AWS4-HMAC-SHA-256",
    "aws4-hmac-sha256",
    "AWS-HMAC-SHA256",
    "HMAC-SHA256",
];

const DAY_SECONDS: i64 = 24 * 60 * 60;

/// What else the verifier, the host and the date make one think of.
pub(super) fn add_likely<'a>(case: &Case<'a>, all: &mut Candidates<'a>) {
    let host = case.header(headers::HOST).map(clip).unwrap_or_default();
    let region = region_from_host(&host);
    for region in case
        .settings
        .region
        .iter()
        .map(String::as_str)
        .chain([region, "us-east-1"])
    {
        add_part(case, all, Reach::Pairs, REGION, region);
    }
    let label = host.split(['.', ':']).next().unwrap_or_default();
    for service in case
        .settings
        .service
        .iter()
        .map(String::as_str)
        .chain([label])
    {
        add_part(case, all, Reach::Pairs, SERVICE, service);
    }
    let at = case.claim.date_time();
    let now = DateTime::from_system_time(case.now).ok();
    let days = [
        Some(at),
        now,
        Some(at.plus_seconds(-DAY_SECONDS)),
        Some(at.plus_seconds(DAY_SECONDS)),
    ];
    for day in days.into_iter().flatten() {
        add_part(case, all, Reach::Pairs, DAY, day.date());
    }
    if &*case.base.key_scope[END] != TERMINATOR {
        let mistake = Mistake::Terminator {
            stated: clip(case.claim.scope().terminator().as_bytes()),
        };
        all.add(Facet::Terminator, mistake, |draft| {
            draft.key_scope[END] = TERMINATOR.into();
        });
    }
    add_dates(case, all);
    for signed in ALGORITHMS {
        let mistake = Mistake::Algorithm { signed };
        all.add_alone(Facet::Algorithm, mistake, move |draft| {
            draft.algorithm = signed;
        });
    }
}

/// Every region and service that is known.
pub(super) fn add_rest<'a>(case: &Case<'a>, all: &mut Candidates<'a>) {
    for region in REGIONS {
        add_part(case, all, Reach::Alone, REGION, region);
    }
    for service in SERVICES {
        add_part(case, all, Reach::Alone, SERVICE, service);
    }
}

/// One part of the scope, in the key alone and in both key and string to sign.
fn add_part<'a>(
    case: &Case<'a>,
    all: &mut Candidates<'a>,
    reach: Reach,
    part: usize,
    signed: &str,
) {
    let stated = &*case.base.scope[part];
    if stated == signed || !is_scope_part(signed) {
        return;
    }
    let (signed, stated) = (clip(signed.as_bytes()), clip(stated.as_bytes()));
    let (facet, mistake) = match part {
        REGION => (
            Facet::Region,
            Mistake::SignedRegion {
                signed: signed.clone(),
                stated,
            },
        ),
        SERVICE => (
            Facet::Service,
            Mistake::SignedService {
                signed: signed.clone(),
                stated,
            },
        ),
        _ => (
            Facet::Day,
            Mistake::KeyDate {
                signed: signed.clone(),
                stated,
            },
        ),
    };
    if all.list.iter().any(|known| known.mistake == mistake) {
        return;
    }
    let in_key = move |draft: &mut Draft<'a>| draft.key_scope[part] = signed.clone().into();
    let in_both = {
        let in_key = in_key.clone();
        move |draft: &mut Draft<'a>| {
            in_key(draft);
            draft.scope[part] = draft.key_scope[part].clone();
        }
    };
    all.add_with(reach, facet.clone(), mistake.clone(), in_both);
    all.add_with(reach, facet, mistake, in_key);
}

/// Dates that a second reading of the clock would have given, and the one in `Date`.
fn add_dates<'a>(case: &Case<'a>, all: &mut Candidates<'a>) {
    let received = case.claim.date_time();
    let other = case
        .header("date")
        .and_then(|value| std::str::from_utf8(headers::trim(value)).ok())
        .and_then(|text| DateTime::parse_http_date(text).or_else(|| DateTime::parse(text)));
    let near = [-1, 1, -2, 2].map(|seconds| Some(received.plus_seconds(seconds)));
    for signed in [other].into_iter().chain(near).flatten() {
        if signed == received {
            continue;
        }
        let mistake = Mistake::Date { signed, received };
        all.add(Facet::Date, mistake.clone(), move |draft| {
            draft.date_time = signed;
        });
        if case.base.line(DATE).is_some() {
            all.add(Facet::Date, mistake.clone(), move |draft| {
                draft.set_line(DATE, signed.as_str().as_bytes().to_vec());
            });
            all.add(Facet::Date, mistake, move |draft| {
                draft.date_time = signed;
                draft.set_line(DATE, signed.as_str().as_bytes().to_vec());
            });
        }
    }
}
