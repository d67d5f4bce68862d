//! What the command line says.

use std::convert::Infallible;
use std::env;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum, error::ErrorKind};
use sigv4::Credentials;

use super::content::{SIZE_MAX, SIZE_MIN};
use super::mix::Mix;
use super::target::Endpoint;
use super::wire::BATCH;
use super::worker::ANSWER_TIME_MAX;

/// Connections, queues and groups at most.
const MANY_MAX: i64 = 10_000;

/// The longest batch that SQS takes, in bytes.
const BATCH_BYTES_MAX: usize = 1024 * 1024;

/// What is told after the options.
const NOTES: &str = "\
Warm-up: the load runs that long before anything is measured, so that connections are there and caches are warm; \
what comes in it is checked, and not counted.

The bare server: an HTTP server that reads the same requests and gives the same answers without a queue, a \
signature or a log behind them; what a service costs is best told beside it. For a service on this machine and a \
mix without waiting polls or --rate, the same load is put on it after the service, for as long, and the share is \
printed. So a run takes about twice --warmup and --seconds, and some seconds more to look for what is left.

Times: p50 is what half of the requests took at most, p99 what 99 in 100 did. With poll and idle it is the time from \
a send to the answer of the poll that it woke, as for a poll itself waiting is the purpose.

Idle: for --seconds nothing is sent and the processor time of the server is measured, then polls are woken for 4 s \
more; so it measures for at least 4 s.

Credentials: over https and without --key and --secret they are those of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and \
AWS_SESSION_TOKEN, so that no secret has to be on a command line; and the region, without --region, is that of AWS_REGION or \
AWS_DEFAULT_REGION. Over http, where local services are, no variable is looked at.

Exit status: 0 when all is well; 1 when a message was lost, altered, doubled by a FIFO queue or out of order, a poll \
ended early or was not woken, no request succeeded, connections gave up, the server went away, there was no run at all, or a number of --compare was missed; \
2 for bad arguments. Errors that a service answers are counted, and do not fail a run by themselves.

The last line is always `N requests/s, p50 X ms, p99 Y ms, N errors`. With --json there is one JSON object instead, \
which is {\"error\": …} where there was no run.";

/// Puts load on an SQS, and checks that nothing is lost, altered, doubled or out of order.
///
/// The service may be fake-sqs, another local one, or Amazon's. Queues are made with names of their own and are
/// deleted at the end.
#[derive(Debug, Parser)]
#[command(
    name = "load",
    args_conflicts_with_subcommands = true,
    override_usage = "load --endpoint URL [OPTIONS]\n       load --compare [--only PARTS] [--json]",
    after_long_help = NOTES
)]
pub struct Arguments {
    /// Where the service is
    #[arg(long, value_name = "URL", required_unless_present = "compare")]
    endpoint: Option<Endpoint>,
    /// The access key to sign with [default: test]
    #[arg(long)]
    key: Option<String>,
    /// Its secret [default: test]
    #[arg(long)]
    secret: Option<Hidden>,
    /// Its session token, where it is temporary
    #[arg(long, value_name = "TOKEN", requires = "key")]
    session_token: Option<Hidden>,
    /// The region to sign for [default: us-east-1]
    #[arg(long)]
    region: Option<String>,
    /// How many connections there are, each with one request under way
    #[arg(long, allow_negative_numbers = true, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=MANY_MAX))]
    connections: u16,
    /// How many seconds are measured
    #[arg(long, allow_negative_numbers = true, default_value = "5", value_parser = seconds::<1, 3_600_000>)]
    seconds: Duration,
    /// How many seconds the load runs before that
    #[arg(long, allow_negative_numbers = true, default_value = "1", value_parser = seconds::<0, 600_000>)]
    warmup: Duration,
    /// What is done
    #[arg(long, value_enum, default_value_t = Mix::Cycle)]
    mix: Mix,
    /// The length of each message's body in bytes
    #[arg(long, allow_negative_numbers = true, default_value_t = 1024, value_parser = size)]
    size: usize,
    /// How many queues the load goes to
    #[arg(long, allow_negative_numbers = true, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=MANY_MAX))]
    queues: u16,
    /// How many message groups the mix fifo has
    #[arg(long, allow_negative_numbers = true, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=MANY_MAX))]
    groups: u16,
    /// How many requests begin in a second, whether or not those before have their answers; without it each
    /// connection begins one after the other
    #[arg(long, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rate: Option<u32>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Measure fake-sqs beside the bare server against its limits, and exit with 1 where one is missed
    #[arg(long, conflicts_with_all = ["endpoint", "key", "secret", "session_token", "region", "connections", "seconds", "warmup",
        "mix", "size", "queues", "groups", "rate"])]
    compare: bool,
    /// Only these parts of the table; with --compare
    #[arg(long, value_enum, value_delimiter = ',', requires = "compare")]
    only: Vec<Part>,
    #[command(subcommand)]
    own: Option<Own>,
}

/// What no debugging output shows.
#[derive(Clone)]
struct Hidden(String);

impl FromStr for Hidden {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}

/// A part of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Send, receive and delete beside the bare server.
    Cycle,
    /// Batches of ten beside the bare server.
    Batch,
    /// A million messages that wait.
    Backlog,
    /// Two thousand polls that wait.
    Polls,
    /// Ten thousand queues.
    Queues,
    /// The slowest requests at half of the highest throughput.
    Latency,
}

/// What the tool starts itself as.
#[derive(Clone, Copy, Debug, Subcommand)]
enum Own {
    /// The bare server, which reads what to answer from standard input.
    #[command(hide = true)]
    Floor,
}

/// What is to be done.
#[derive(Clone, Debug)]
pub enum Order {
    /// One mix against one service.
    Run(Box<Plan>),
    /// The table, or these parts of it.
    Compare(Form, Vec<Part>),
    /// To be the bare server.
    Floor,
}

impl Order {
    /// How results are printed.
    #[must_use]
    pub fn form(&self) -> Form {
        match self {
            Self::Run(plan) => plan.form,
            Self::Compare(form, _) => *form,
            Self::Floor => Form::Text,
        }
    }
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Text,
    /// One JSON object.
    Json,
}

/// One mix against one service.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where it is.
    pub endpoint: Endpoint,
    /// Who signs.
    pub credentials: Credentials,
    /// For which region.
    pub region: String,
    /// How many connections.
    pub connections: u16,
    /// How long is measured.
    pub seconds: Duration,
    /// How long is not, before that.
    pub warmup: Duration,
    /// What is done.
    pub mix: Mix,
    /// The length of a body.
    pub size: usize,
    /// How many queues.
    pub queues: u16,
    /// How many groups.
    pub groups: u16,
    /// How many requests begin in a second; none: each connection begins one after the other.
    pub rate: Option<u32>,
    /// How long an answer may take, besides the time that a poll waits.
    pub answer_time_max: Duration,
    /// How it is printed.
    pub form: Form,
}

impl Arguments {
    /// What they come to.
    ///
    /// # Errors
    ///
    /// When two of them do not go together.
    pub fn order(self) -> Result<Order, clap::Error> {
        self.order_among(|name| env::var(name).ok())
    }

    /// The same among these variables.
    fn order_among(self, variable: impl Fn(&str) -> Option<String>) -> Result<Order, clap::Error> {
        let form = if self.json { Form::Json } else { Form::Text };
        if let Some(Own::Floor) = self.own {
            return Ok(Order::Floor);
        }
        let wrong = |why: String| Err(Self::command().error(ErrorKind::ValueValidation, why));
        // The parser lets it pass: what --compare excludes, --endpoint, is there.
        if !self.only.is_empty() && !self.compare {
            return wrong("--only names parts of the table: it needs --compare".to_owned());
        }
        if self.mix == Mix::Batch && self.size * BATCH > BATCH_BYTES_MAX {
            let most = BATCH_BYTES_MAX / BATCH;
            return wrong(format!(
                "ten bodies of {} bytes are more than a batch holds: --size must be at most {most}",
                self.size
            ));
        }
        if let Some(why) = self.polls_wrong() {
            return wrong(why);
        }
        let (credentials, region) = self.caller(variable);
        let Some(endpoint) = self.endpoint else {
            // Without an endpoint the table is asked for: the parser has seen to that.
            let parts = match self.only {
                none if none.is_empty() => Part::value_variants().to_vec(),
                some => some,
            };
            return Ok(Order::Compare(form, parts));
        };
        Ok(Order::Run(Box::new(Plan {
            endpoint,
            credentials,
            region,
            connections: self.connections,
            seconds: self.seconds,
            warmup: self.warmup,
            mix: self.mix,
            size: self.size,
            queues: self.queues,
            groups: self.groups,
            rate: self.rate,
            answer_time_max: ANSWER_TIME_MAX,
            form,
        })))
    }
}

impl Arguments {
    /// Who signs, and for which region. The variables are for AWS: what is local is called with `test`, whatever they say.
    fn caller(&self, variable: impl Fn(&str) -> Option<String>) -> (Credentials, String) {
        let is_https = self.endpoint.as_ref().is_some_and(Endpoint::is_https);
        let variable = |name| variable(name).filter(|value| is_https && !value.is_empty());
        let region = self.region.clone();
        let region = region
            .or_else(|| variable("AWS_REGION"))
            .or_else(|| variable("AWS_DEFAULT_REGION"))
            .unwrap_or_else(|| "us-east-1".to_owned());
        let (key, secret, token) = match (&self.key, &self.secret) {
            (None, None) => (
                variable("AWS_ACCESS_KEY_ID"),
                variable("AWS_SECRET_ACCESS_KEY"),
                variable("AWS_SESSION_TOKEN"),
            ),
            (key, secret) => {
                let shown = |hidden: &Option<Hidden>| Some(hidden.as_ref()?.0.clone());
                (key.clone(), shown(secret), shown(&self.session_token))
            }
        };
        let or_test = |text: Option<String>| text.unwrap_or_else(|| "test".to_owned());
        let credentials = Credentials::new(or_test(key), or_test(secret));
        match token {
            Some(token) => (credentials.with_session_token(token), region),
            None => (credentials, region),
        }
    }

    /// What does not go together with polls that wait, if there are some.
    fn polls_wrong(&self) -> Option<String> {
        let polls = match self.mix {
            Mix::Send | Mix::Cycle | Mix::Batch | Mix::Fifo => return None,
            Mix::Poll => self.connections - self.connections / 2,
            Mix::Idle => self.connections,
        };
        if self.mix == Mix::Poll && self.connections < 2 {
            let why = "a poll needs a connection that wakes it: --connections must be at least 2";
            return Some(why.to_owned());
        }
        if self.queues > polls {
            return Some(format!(
                "{polls} of the connections wait in polls, and each queue needs one: --queues must be at most {polls}"
            ));
        }
        let why =
            "polls are woken one after the other, not at a rate: --rate goes with the other mixes";
        self.rate.map(|_| why.to_owned())
    }
}

/// A number of seconds, fractions allowed, between two bounds in milliseconds.
fn seconds<const LEAST: u64, const MOST: u64>(text: &str) -> Result<Duration, String> {
    let range: RangeInclusive<Duration> =
        Duration::from_millis(LEAST)..=Duration::from_millis(MOST);
    let seconds: Option<f64> = text.parse().ok();
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration
        .filter(|duration| range.contains(duration))
        .ok_or_else(|| {
            format!(
                "seconds must be between {} and {}",
                range.start().as_secs_f64(),
                range.end().as_secs()
            )
        })
}

fn size(text: &str) -> Result<usize, String> {
    let size: Option<usize> = text.parse().ok();
    size.filter(|size| (SIZE_MIN..=SIZE_MAX).contains(size))
        .ok_or_else(|| {
            format!("a body has between {SIZE_MIN} bytes, for what the checks need, and {SIZE_MAX}")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(arguments: &[&str]) -> Result<Order, clap::Error> {
        order_among(arguments, &[])
    }

    fn order_among(arguments: &[&str], variables: &[(&str, &str)]) -> Result<Order, clap::Error> {
        let all = [&["load"], arguments].concat();
        Arguments::try_parse_from(all)?.order_among(|name| {
            let mut variables = variables.iter();
            let found = variables.find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    /// The key, the token, the region, and whether that is the secret.
    fn caller(plan: &Plan, secret: &str) -> (String, Option<String>, String, bool) {
        let credentials = &plan.credentials;
        (
            credentials.access_key_id().to_owned(),
            credentials.session_token().map(str::to_owned),
            plan.region.clone(),
            credentials.secret().matches(secret),
        )
    }

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn defaults_are_those_that_scripts_know() {
        let Ok(Order::Run(plan)) = order(&["--endpoint", "http://localhost:9324"]) else {
            panic!("no run");
        };
        let right = ("test".to_owned(), None, "us-east-1".to_owned(), true);
        assert_eq!(caller(&plan, "test"), right);
        assert_eq!(
            (plan.connections, plan.queues, plan.groups, plan.size),
            (16, 1, 10, 1024)
        );
        assert_eq!(
            (plan.seconds, plan.warmup),
            (Duration::from_secs(5), Duration::from_secs(1))
        );
        assert_eq!((plan.mix, plan.form), (Mix::Cycle, Form::Text));
    }

    #[test]
    fn who_signs_is_in_options_or_for_aws_in_variables_and_in_no_output() {
        let variables = [
            ("AWS_ACCESS_KEY_ID", "AKID"),
            ("AWS_SECRET_ACCESS_KEY", "hush-variable"),
            ("AWS_SESSION_TOKEN", "hush-token"),
            ("AWS_REGION", ""),
            ("AWS_DEFAULT_REGION", "eu-central-1"),
        ];
        let of = |endpoint: &str, options: &[&str]| {
            let arguments = [&["--endpoint", endpoint], options].concat();
            match order_among(&arguments, &variables).expect("an order") {
                Order::Run(plan) => plan,
                other => panic!("{other:?}"),
            }
        };
        let text = str::to_owned;
        let (local, aws) = ("http://a", "https://a");
        let plan = of(local, &[]);
        let right = (text("test"), None, text("us-east-1"), true);
        assert_eq!(caller(&plan, "test"), right);
        let plan = of(aws, &[]);
        let (key, token, region) = (text("AKID"), Some(text("hush-token")), text("eu-central-1"));
        assert_eq!(caller(&plan, "hush-variable"), (key, token, region, true));
        // The secret and the token are another key's.
        let plan = of(aws, &["--key", "mine", "--region", "eu-west-1"]);
        let (key, region) = (text("mine"), text("eu-west-1"));
        assert_eq!(caller(&plan, "test"), (key, None, region, true));
        let plan = of(aws, &["--secret", "hush-option"]);
        let (key, region) = (text("test"), text("eu-central-1"));
        assert_eq!(caller(&plan, "hush-option"), (key, None, region, true));
        let options = [
            "--key",
            "mine",
            "--secret",
            "hush-option",
            "--session-token",
            "hush-mine",
        ];
        for (endpoint, region) in [(aws, "eu-central-1"), (local, "us-east-1")] {
            let plan = of(endpoint, &options);
            let (key, token) = (text("mine"), Some(text("hush-mine")));
            assert_eq!(
                caller(&plan, "hush-option"),
                (key, token, text(region), true)
            );
        }
        let all = [&["load", "--endpoint", aws], &options[..]].concat();
        let arguments = Arguments::try_parse_from(all).expect("arguments");
        let printed = format!("{:?} {arguments:?}", of(aws, &options));
        assert!(!printed.contains("hush"), "{printed}");
    }

    #[test]
    fn fractions_of_seconds_and_json_are_understood() {
        let arguments = [
            "--endpoint",
            "http://a",
            "--seconds",
            "0.25",
            "--warmup",
            "0",
            "--json",
        ];
        let Ok(Order::Run(plan)) = order(&arguments) else {
            panic!("no run");
        };
        assert_eq!(
            (plan.seconds, plan.warmup),
            (Duration::from_millis(250), Duration::ZERO)
        );
        assert_eq!(plan.form, Form::Json);
        assert!(matches!(
            order(&["--compare", "--json"]),
            Ok(Order::Compare(Form::Json, _))
        ));
        assert!(matches!(order(&["floor"]), Ok(Order::Floor)));
        let Ok(Order::Compare(_, parts)) = order(&["--compare", "--only", "cycle,latency"]) else {
            panic!("no table");
        };
        assert_eq!(parts, [Part::Cycle, Part::Latency]);
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_status_2() {
        let endpoint = ["--endpoint", "http://a"];
        for arguments in [
            vec![],
            vec!["--endpoint", "localhost:9324"],
            vec!["--compare", "--size", "64"],
            vec!["--compare", "--only", "all"],
            vec!["--compare", "--endpoint", "http://a"],
            [&endpoint[..], &["--only", "cycle"]].concat(),
            [&endpoint[..], &["--size", "22"]].concat(),
            [&endpoint[..], &["--size", "1048577"]].concat(),
            [&endpoint[..], &["--mix", "batch", "--size", "104858"]].concat(),
            [&endpoint[..], &["--mix", "poll", "--connections", "1"]].concat(),
            // Seven of them wake.
            [
                &endpoint[..],
                &["--mix", "poll", "--connections", "15", "--queues", "9"],
            ]
            .concat(),
            [
                &endpoint[..],
                &["--mix", "idle", "--connections", "15", "--queues", "16"],
            ]
            .concat(),
            [&endpoint[..], &["--mix", "poll", "--rate", "1"]].concat(),
            [&endpoint[..], &["--mix", "idle", "--rate", "1"]].concat(),
            vec!["--compare", "--session-token", "t"],
            [&endpoint[..], &["--session-token", "t"]].concat(),
            [&endpoint[..], &["--connections", "0"]].concat(),
            [&endpoint[..], &["--groups", "10001"]].concat(),
            [&endpoint[..], &["--seconds", "0"]].concat(),
            [&endpoint[..], &["--seconds", "NaN"]].concat(),
            [&endpoint[..], &["--mix", "all"]].concat(),
            [&endpoint[..], &["floor"]].concat(),
        ] {
            let error = order(&arguments).expect_err(&arguments.join(" "));
            assert_eq!(error.exit_code(), 2, "{arguments:?}");
        }
    }
    #[test]
    fn a_negative_number_is_told_to_be_out_of_range() {
        for option in ["--seconds", "--warmup", "--connections", "--size", "--rate"] {
            let error = order(&["--endpoint", "http://a", option, "-1"]).expect_err(option);
            assert_eq!(error.exit_code(), 2);
            let text = error.to_string();
            assert!(text.contains("invalid value '-1'"), "{text}");
        }
    }

    #[test]
    fn as_many_queues_as_polls_are_right() {
        for (mix, queues) in [("poll", "8"), ("idle", "15")] {
            let arguments = [
                "--endpoint",
                "http://a",
                "--connections",
                "15",
                "--mix",
                mix,
            ];
            let arguments = [&arguments[..], &["--queues", queues]].concat();
            assert!(matches!(order(&arguments), Ok(Order::Run(_))), "{mix}");
        }
    }

    #[test]
    fn help_says_what_is_needed_and_what_is_printed() {
        let help = Arguments::command().render_long_help().to_string();
        for words in [
            "load --endpoint URL",
            "load --compare",
            "- cycle:",
            "Warm-up:",
            "The bare server:",
            "p99",
            "Exit status:",
            "AWS_SESSION_TOKEN",
            "N requests/s, p50 X ms, p99 Y ms, N errors",
        ] {
            assert!(help.contains(words), "{words}: {help}");
        }
    }
}
