use std::path::Path;

use super::*;

type Arguments<'a> = &'a [&'a str];
type Environment<'a> = &'a [(&'a str, &'a str)];

fn command(arguments: Arguments<'_>, variables: Environment<'_>) -> Result<Command, ArgumentError> {
    let arguments = ["fake-sqs"].iter().chain(arguments).copied();
    let value = |name: &str| {
        let (_, value) = variables.iter().find(|(variable, _)| *variable == name)?;
        Some(OsString::from(value))
    };
    let names = || variables.iter().map(|(name, _)| name.into()).collect();
    let variables = Variables {
        value: &value,
        names: &names,
    };
    Command::parse(arguments, variables)
}

fn serve(arguments: &[&str], variables: &[(&str, &str)]) -> Serve {
    match command(arguments, variables) {
        Ok(Command::Serve(serve)) => *serve,
        other => panic!("{arguments:?} {variables:?}: {other:?}"),
    }
}

fn error(arguments: &[&str], variables: &[(&str, &str)]) -> String {
    command(arguments, variables)
        .expect_err("bad arguments")
        .to_string()
}

fn keys(serve: &Serve) -> Vec<&str> {
    serve
        .credentials
        .iter()
        .map(Credential::access_key_id)
        .collect()
}

#[test]
fn without_arguments_the_defaults_hold() {
    let serve = serve(&[], &[]);
    assert_eq!(serve.listen().to_string(), "127.0.0.1:9324");
    assert_eq!(keys(&serve), [""; 0]);
    assert_eq!(serve.data_dir, None);
    assert_eq!(serve.rules, None);
    assert_eq!(serve.auto_create, None);
    assert_eq!(serve.cors, None);
    assert_eq!(serve.seed, None);
    assert_eq!(serve.control_hosts, []);
    assert_eq!(serve.log(), LevelFilter::INFO);
}

#[test]
fn flags_are_read() {
    let serve = serve(
        &[
            "--listen=[::1]:0",
            "--credential",
            "a:s 1",
            "--credential",
            "b:s2:123456789012",
            "--data-dir=somewhere",
            "--relaxed",
            "--auto-create",
            "--cors",
            "--seed",
            "18446744073709551615",
            "--control-host",
            "sqs",
            "--control-host=sqs.internal",
            "--log=debug",
        ],
        &[],
    );
    assert_eq!(serve.listen().to_string(), "[::1]:0");
    assert_eq!(keys(&serve), ["a", "b"]);
    assert_eq!(serve.credentials[0].secret_access_key(), "s 1");
    assert_eq!(serve.data_dir.as_deref(), Some(Path::new("somewhere")));
    assert_eq!(serve.rules, Some(Rules::Relaxed));
    assert_eq!(serve.auto_create, Some(AutoCreate::On));
    assert_eq!(serve.cors, Some(Cors::On));
    assert_eq!(serve.seed, Some(u64::MAX));
    assert_eq!(
        serve
            .control_hosts
            .iter()
            .map(ControlHost::as_str)
            .collect::<Vec<_>>(),
        ["sqs", "sqs.internal"]
    );
    assert_eq!(serve.log(), LevelFilter::DEBUG);
}

const VARIABLES: [(&str, &str); 9] = [
    ("FAKE_SQS_DATA_DIR", "elsewhere"),
    ("FAKE_SQS_LISTEN", "0.0.0.0:9000"),
    ("FAKE_SQS_CREDENTIALS", " a:s1  b:s2:123456789012 "),
    ("FAKE_SQS_RELAXED", "1"),
    ("FAKE_SQS_AUTO_CREATE", "true"),
    ("FAKE_SQS_CORS", "on"),
    ("FAKE_SQS_SEED", "7"),
    ("FAKE_SQS_CONTROL_HOSTS", "sqs sqs.internal"),
    ("FAKE_SQS_LOG", "off"),
];

#[test]
fn variables_are_read() {
    let serve = serve(&[], &VARIABLES);
    assert_eq!(serve.data_dir.as_deref(), Some(Path::new("elsewhere")));
    assert_eq!(serve.listen().to_string(), "0.0.0.0:9000");
    assert_eq!(keys(&serve), ["a", "b"]);
    assert_eq!(serve.rules, Some(Rules::Relaxed));
    assert_eq!(serve.auto_create, Some(AutoCreate::On));
    assert_eq!(serve.cors, Some(Cors::On));
    assert_eq!(serve.seed, Some(7));
    assert_eq!(serve.control_hosts.len(), 2);
    assert_eq!(serve.log(), LevelFilter::OFF);
}

#[test]
fn a_flag_wins_over_its_variable() {
    let flags = [
        "--listen=127.0.0.1:1",
        "--credential=c:s",
        "--data-dir=here",
        "--seed=8",
        "--control-host=other",
        "--log=warn",
    ];
    let serve = serve(&flags, &VARIABLES);
    assert_eq!(serve.listen().to_string(), "127.0.0.1:1");
    assert_eq!(keys(&serve), ["c"]);
    assert_eq!(serve.data_dir.as_deref(), Some(Path::new("here")));
    assert_eq!(serve.seed, Some(8));
    assert_eq!(serve.control_hosts.len(), 1);
    assert_eq!(serve.log(), LevelFilter::WARN);
}

#[test]
fn an_empty_variable_is_not_set() {
    let empty = VARIABLES.map(|(name, _)| (name, ""));
    let serve = serve(&[], &empty);
    assert_eq!(serve.listen().to_string(), "127.0.0.1:9324");
    assert_eq!(serve.rules, None);
    assert_eq!(serve.seed, None);
}

#[test]
fn a_switch_as_a_variable_is_yes_or_no() {
    for (text, rules) in [
        ("1", Rules::Relaxed),
        ("true", Rules::Relaxed),
        ("yes", Rules::Relaxed),
        ("ON", Rules::Relaxed),
        ("0", Rules::Strict),
        ("False", Rules::Strict),
        ("no", Rules::Strict),
        ("off", Rules::Strict),
    ] {
        let serve = serve(&[], &[("FAKE_SQS_RELAXED", text)]);
        assert_eq!(serve.rules, Some(rules), "{text}");
    }
    let off = [("FAKE_SQS_AUTO_CREATE", "0"), ("FAKE_SQS_CORS", "no")];
    let off = serve(&[], &off);
    assert_eq!(off.auto_create, Some(AutoCreate::Off));
    assert_eq!(off.cors, Some(Cors::Off));
    for variable in ["FAKE_SQS_RELAXED", "FAKE_SQS_AUTO_CREATE", "FAKE_SQS_CORS"] {
        assert_eq!(
            error(&[], &[(variable, "maybe")]),
            format!(
                "{variable} is \"maybe\"; it must be 1, true, yes or on, or 0, false, no or off"
            )
        );
    }
}

#[test]
fn an_error_says_where_and_what_would_be_right() {
    let cases: [(Arguments<'_>, Environment<'_>, &str); 7] = [
        (
            &["--listen", "9324"],
            &[],
            "--listen is \"9324\"; it must be ADDR:PORT",
        ),
        (
            &[],
            &[("FAKE_SQS_LISTEN", "x")],
            "FAKE_SQS_LISTEN is \"x\"; it must be ADDR:PORT",
        ),
        (
            &["--seed", "-1"],
            &[],
            "--seed is \"-1\"; it must be a whole number",
        ),
        (
            &["--seed", "ten"],
            &[],
            "--seed is \"ten\"; it must be a whole number",
        ),
        (
            &["--control-host", "a:1"],
            &[],
            "--control-host is \"a:1\"; it must be a host name",
        ),
        (
            &["--log", "loud"],
            &[],
            "--log is \"loud\"; it must be off, error",
        ),
        (&["--data-dirs", "x"], &[], "--data-dirs"),
    ];
    for (arguments, variables, expected) in cases {
        let error = error(arguments, variables);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn localhost_is_an_address_and_other_names_are_none() {
    let listen = |text: &str| serve(&["--listen", text], &[]).listen().to_string();
    assert_eq!(listen("localhost:9400"), "127.0.0.1:9400");
    assert_eq!(listen("localhost:0"), "127.0.0.1:0");
    for text in [
        "9400",
        ":9400",
        "sqs:9400",
        "localhost",
        "localhost:",
        "localhost:x",
    ] {
        let error = error(&["--listen", text], &[]);
        let expected = format!(
            "--listen is {text:?}; it must be ADDR:PORT, where ADDR is an IP address or \
             localhost: 127.0.0.1:9324, for example"
        );
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[test]
fn a_stray_argument_is_told_what_there_is() {
    for arguments in [&["serve"][..], &["health", "now"]] {
        let error = error(arguments, &[]);
        assert!(
            error.starts_with("an argument is neither a flag nor"),
            "{error}"
        );
        assert!(
            error.contains("Without a command fake-sqs serves"),
            "{error}"
        );
    }
    let flag = error(&["--no-such"], &[]);
    assert!(
        flag.starts_with("unexpected argument '--no-such'"),
        "{flag}"
    );
}

/// A file with this text, which is gone with the test.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> Self {
        let name = format!("fake-sqs-{}-{name}.toml", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).expect("a file");
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("UTF-8")
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // It is in the folder for such files, whatever comes of this.
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn a_flag_wins_over_its_variable_and_that_over_the_file() {
    let file = File::new(
        "wins",
        "listen = '127.0.0.1:1'\nlog = 'error'\nauto_create = true\n\
         [[credentials]]\naccess_key_id = 'file'\nsecret_access_key = 's'\n",
    );
    let by_flag = ["--config", file.path()];
    let from_file = serve(&by_flag, &[]);
    assert_eq!(from_file.listen().to_string(), "127.0.0.1:1");
    assert_eq!(from_file.log(), LevelFilter::ERROR);
    assert!(!from_file.has_built_in_credential());
    let server = |serve: &Serve| {
        let builder = serve.builder().listen(([127, 0, 0, 1], 0).into());
        builder.bind().expect("a free port")
    };
    let served = |serve: &Serve| server(serve).credentials()[0].access_key_id().to_owned();
    assert_eq!(served(&from_file), "file");

    let variables = [
        ("FAKE_SQS_CONFIG", file.path()),
        ("FAKE_SQS_LISTEN", "127.0.0.1:2"),
        ("FAKE_SQS_LOG", "warn"),
        ("FAKE_SQS_CREDENTIALS", "variable:s"),
    ];
    let from_variables = serve(&[], &variables);
    assert_eq!(from_variables.listen().to_string(), "127.0.0.1:2");
    assert_eq!(from_variables.log(), LevelFilter::WARN);
    assert_eq!(served(&from_variables), "variable");

    let from_flags = serve(
        &["--listen", "127.0.0.1:3", "--credential", "flag:s"],
        &variables,
    );
    assert_eq!(from_flags.listen().to_string(), "127.0.0.1:3");
    assert_eq!(served(&from_flags), "flag");
    assert!(serve(&[], &[("FAKE_SQS_CONFIG", "")]).has_built_in_credential());
}

#[test]
fn a_file_that_is_wrong_is_told_whole() {
    let file = File::new("wrong", "lisen = 1\nseed = -1\n");
    let said = error(&["--config", file.path()], &[]);
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(
        lines[0].starts_with(&format!("{}:1:1: lisen: unknown key", file.path())),
        "{said}"
    );
    let missing = error(&[], &[("FAKE_SQS_CONFIG", "/no/such/file")]);
    assert!(
        missing.starts_with("cannot read /no/such/file: "),
        "{missing}"
    );
}

#[test]
fn the_form_of_a_credential_is_stated_once() {
    for credential in ["test", "a/b:s", "k:"] {
        let error = error(&["--credential", credential], &[]);
        assert_eq!(
            error.matches("KEY:SECRET or KEY:SECRET:ACCOUNT").count(),
            1,
            "{error}"
        );
    }
}

#[test]
fn a_secret_that_looks_like_more_than_one_is_warned_of_and_not_shown() {
    let warnings = |text: &str| -> Vec<String> {
        serve(&[], &[("FAKE_SQS_CREDENTIALS", text)])
            .warnings()
            .collect()
    };
    for text in [
        "k:hunter2:123",
        "k:hunter2,c:hunter3",
        "a:s k:hunter2:0123456789012",
    ] {
        let told = warnings(text);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0].contains("access key \"k\" contains ':'"),
            "{told:?}"
        );
        assert!(told[0].contains("exactly 12 digits"), "{told:?}");
        assert!(told[0].contains("separated by spaces"), "{told:?}");
        assert!(!told[0].contains("hunter"), "{told:?}");
    }
    assert_eq!(warnings("a:s/+= b:s:123456789012"), [""; 0]);
}

#[test]
fn a_bad_credential_is_named_by_its_number_and_never_repeated() {
    let cases: [(Arguments<'_>, Environment<'_>); 7] = [
        (&["--credential", "hunter2"], &[]),
        (&["--credential", "k:s", "--credential", "a/b:hunter2"], &[]),
        (&["--credential", "k:", "hunter2"], &[]),
        (&["--credential", "k", "hunter2"], &[]),
        (&["--relaxed", "k:hunter2"], &[]),
        (&["--credentials=k:hunter2"], &[]),
        (&[], &[("FAKE_SQS_CREDENTIALS", "k:s hunter2")]),
    ];
    for (arguments, variables) in cases {
        let error = error(arguments, variables);
        assert!(!error.contains("hunter2"), "{error}");
    }
    let second = error(cases[1].0, cases[1].1);
    assert!(
        second.contains("--credential, number 2: the access key id"),
        "{second}"
    );
    let variable = error(cases[6].0, cases[6].1);
    assert!(
        variable.contains("FAKE_SQS_CREDENTIALS, number 2: a credential is"),
        "{variable}"
    );
}

#[test]
fn health_asks_where_the_server_listens() {
    let endpoint =
        |arguments: &[&str], variables: &[(&str, &str)]| match command(arguments, variables) {
            Ok(Command::Health { endpoint }) => endpoint,
            other => panic!("{other:?}"),
        };
    assert_eq!(endpoint(&["health"], &[]), "http://127.0.0.1:9324");
    assert_eq!(endpoint(&["health"], &VARIABLES), "http://127.0.0.1:9000");
    assert_eq!(
        endpoint(&["health"], &[("FAKE_SQS_LISTEN", "[::]:1")]),
        "http://[::1]:1"
    );
    assert_eq!(
        endpoint(&["health", "--endpoint", "http://sqs:1"], &VARIABLES),
        "http://sqs:1"
    );
}

#[test]
fn the_command_line_is_well_formed() {
    use clap::CommandFactory;
    Flags::command().debug_assert();
}

#[test]
fn a_variable_that_looks_like_a_setting_and_is_none_is_told() {
    let mut variables = VARIABLES.to_vec();
    variables.extend([
        ("HOME", "/root"),
        ("AFAKE_SQS_LOG", "off"),
        ("FAKE_SQ\u{e9}S_LOG", "off"),
        ("FAKE_SQS", "1"),
        ("FAKE_SQS_BIN", "target/debug/fake-sqs"),
        ("FAKE_SQS_PORT", "tcp://10.0.0.1:9324"),
        ("FAKE_SQS_PORT_9324_TCP_ADDR", "10.0.0.1"),
        ("FAKE_SQS_SERVICE_HOST", "10.0.0.1"),
    ]);
    let quiet = serve(&[], &variables);
    assert_eq!(quiet.warnings().collect::<Vec<_>>(), [""; 0]);

    for name in [
        "FAKE_SQS_CREDENTIAL",
        "FAKE_SQS_PORT",
        "FAKE_SQS_",
        "fake_sqs_seeds",
    ] {
        let told = serve(&[], &[(name, "hunter2")]);
        let told: Vec<String> = told.warnings().collect();
        assert_eq!(told.len(), 1, "{name}: {told:?}");
        let start =
            format!("the variable {name} is no setting and is ignored; there are FAKE_SQS_");
        assert!(told[0].starts_with(&start), "{told:?}");
        assert!(!told[0].contains("hunter2"), "{told:?}");
        for (variable, _) in VARIABLES {
            assert!(told[0].contains(variable), "{variable}: {told:?}");
        }
    }
}
