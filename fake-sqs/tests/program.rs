//! The program as a process: what it prints, what it exits with, how it stops.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStderr, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How long anything here may take.
const BOUND: Duration = Duration::from_secs(60);

/// Addresses to listen on, of one test each, so that nobody takes over a port that was given back.
/// macOS has only one loopback address.
const ALONE: [&str; 2] = if cfg!(target_os = "macos") {
    ["127.0.0.1:0"; 2]
} else {
    ["127.0.77.4:0", "127.0.77.5:0"]
};

const VARIABLES: [&str; 10] = [
    "FAKE_SQS_DATA_DIR",
    "FAKE_SQS_LISTEN",
    "FAKE_SQS_CONFIG",
    "FAKE_SQS_CREDENTIALS",
    "FAKE_SQS_AUTO_CREATE",
    "FAKE_SQS_CORS",
    "FAKE_SQS_RELAXED",
    "FAKE_SQS_SEED",
    "FAKE_SQS_CONTROL_HOSTS",
    "FAKE_SQS_LOG",
];

/// The program, without anything from the environment of the test.
fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fake-sqs"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for name in VARIABLES {
        command.env_remove(name);
    }
    command
}

/// Does something that blocks on a thread of its own, and gives up waiting for it in time.
fn bounded<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(work()));
    match receiver.recv_timeout(BOUND) {
        Ok(value) => value,
        Err(error) => panic!("{what}: {error}"),
    }
}

/// Runs the program to its end, which must come by itself.
fn run(mut command: Command) -> Output {
    bounded("the program does not end", move || {
        command.output().expect("the program starts")
    })
}

/// Asks for the health until the server is ready; one that is held up answers too late.
fn becomes_ready(ask: impl Fn() -> Command) {
    let mut output = run(ask());
    for _ in 0..30 {
        if output.status.success() {
            return;
        }
        output = run(ask());
    }
    panic!("{}", text(&output.stderr));
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// A server that is killed when the test is over, however that comes.
struct Running {
    child: Child,
    stdout: Option<BufReader<ChildStdout>>,
    stderr: Option<BufReader<ChildStderr>>,
    first_line: String,
}

impl Running {
    /// Starts the program, and waits for its first line.
    fn start(mut command: Command) -> Self {
        let mut child = command.spawn().expect("the program starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("standard output"));
        let stderr = child.stderr.take().map(BufReader::new);
        let mut running = Self {
            child,
            stdout: None,
            stderr,
            first_line: String::new(),
        };
        let (stdout, first_line) = bounded("there is no first line", move || {
            let mut line = String::new();
            stdout.read_line(&mut line).expect("a line");
            (stdout, line)
        });
        running.stdout = Some(stdout);
        running.first_line = first_line;
        running
    }

    /// The address in the first line, which must have exactly the fixed form.
    fn address(&self) -> String {
        let line = self
            .first_line
            .strip_prefix("fake-sqs listening on http://");
        let address = line
            .and_then(|line| line.strip_suffix('\n'))
            .expect("the fixed form");
        assert!(address.parse::<std::net::SocketAddr>().is_ok(), "{address}");
        address.to_owned()
    }

    /// Sends a signal, and waits for the end: the exit status and what was printed since the first
    /// line.
    fn stop(self, signal: &str) -> (Option<i32>, String, String) {
        self.signal(signal);
        self.end()
    }

    fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        let killed = Command::new("kill")
            .args([signal, &pid])
            .status()
            .expect("kill runs");
        assert!(killed.success());
    }

    /// Reads the log up to a line with this text.
    fn wait_for_log(&mut self, text: &'static str) {
        let mut stderr = self.stderr.take().expect("taken once");
        let stderr = bounded("the log does not have the line", move || {
            let mut line = String::new();
            while !line.contains(text) {
                line.clear();
                assert!(
                    stderr.read_line(&mut line).expect("a line") > 0,
                    "no {text}"
                );
            }
            stderr
        });
        self.stderr = Some(stderr);
    }

    fn end(mut self) -> (Option<i32>, String, String) {
        let mut stdout = self.stdout.take().expect("taken once");
        let mut stderr = self.stderr.take().expect("taken once");
        // Its output ends when it does.
        let (out, err) = bounded("the program does not stop", move || {
            let (mut out, mut err) = (String::new(), String::new());
            stdout.read_to_string(&mut out).expect("UTF-8");
            stderr.read_to_string(&mut err).expect("UTF-8");
            (out, err)
        });
        (self.child.wait().expect("a status").code(), out, err)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a request on a connection of its own: the whole answer.
fn exchange(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the port accepts");
    stream.set_read_timeout(Some(BOUND)).expect("a timeout");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

fn health(address: &str) -> String {
    let request = "GET /_fake/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    exchange(address, request)
}

#[test]
fn it_serves_from_its_first_line_on_and_stops_at_a_signal() {
    for signal in ["-TERM", "-INT"] {
        let running = Running::start(program(&["--listen", ALONE[0]]));
        let address = running.address();
        assert!(health(&address).starts_with("HTTP/1.1 200 OK\r\n"));
        let unsigned = "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        assert!(exchange(&address, unsigned).starts_with("HTTP/1.1 403 Forbidden\r\n"));

        let (status, out, err) = running.stop(signal);
        assert_eq!(status, Some(0), "{err}");
        for expected in [
            "access key test, secret test, account 000000000000",
            "AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_DEFAULT_REGION=us-east-1 aws \
             --endpoint-url http://127.0.",
            "sqs create-queue --queue-name orders",
        ] {
            assert!(out.contains(expected), "{out}");
        }
        assert!(err.contains("starting empty; seed "), "{err}");
        let refusal = "refused: NoSignature: the request carries no signature; every call must be";
        assert_eq!(err.matches(refusal).count(), 1, "{err}");
        assert!(
            TcpStream::connect(address).is_err(),
            "the port still accepts"
        );
    }
}

#[test]
fn a_second_signal_does_not_wait_for_a_call_that_is_open() {
    for (first, second) in [("-TERM", "-TERM"), ("-INT", "-TERM")] {
        let mut running = Running::start(program(&["--listen", "127.0.0.1:0"]));
        let mut open = TcpStream::connect(running.address()).expect("the port accepts");
        open.set_read_timeout(Some(BOUND)).expect("a timeout");
        let head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\
                    Expect: 100-continue\r\n\r\n";
        open.write_all(head.as_bytes()).expect("sent");
        let mut start = [0; 12];
        open.read_exact(&mut start).expect("an answer");
        assert_eq!(&start, b"HTTP/1.1 100");

        running.signal(first);
        running.wait_for_log("stopping after");
        running.signal(second);
        let (status, _, err) = running.end();
        assert_eq!(status, Some(0), "{err}");
        assert!(err.contains("stopping at once after SIGTERM"), "{err}");
        assert!(!err.contains("still busy"), "{err}");
    }
}

#[test]
fn another_protocol_at_the_port_is_told_in_the_log() {
    let hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n";
    for bytes in [&hello[..], b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        let running = Running::start(program(&["--listen", "127.0.0.1:0"]));
        let mut stream = TcpStream::connect(running.address()).expect("the port accepts");
        stream.set_read_timeout(Some(BOUND)).expect("a timeout");
        stream.write_all(bytes).expect("sent");
        let mut answer = Vec::new();
        // However it ends: the server closes it.
        let _ = stream.read_to_end(&mut answer);
        let (status, _, err) = running.stop("-TERM");
        assert_eq!(status, Some(0), "{err}");
        assert_eq!(
            err.matches("perhaps the client uses https://").count(),
            1,
            "{err}"
        );
        assert!(err.contains("this server speaks plain HTTP/1.1"), "{err}");
    }
}

#[test]
fn a_credential_that_looks_like_two_is_warned_of() {
    let arguments = [
        "--listen",
        "127.0.0.1:0",
        "--credential",
        "k:hunter2,c:hunter3",
    ];
    let (status, _, err) = Running::start(program(&arguments)).stop("-TERM");
    assert_eq!(status, Some(0), "{err}");
    assert!(
        err.contains("WARN") && err.contains("access key \"k\" contains ':' or ','"),
        "{err}"
    );
    assert!(!err.contains("hunter"), "{err}");
}

#[test]
fn an_idle_connection_does_not_hold_it_up() {
    let running = Running::start(program(&["--listen", "127.0.0.1:0"]));
    let untouched = TcpStream::connect(running.address()).expect("the port accepts");
    let mut kept = TcpStream::connect(running.address()).expect("the port accepts");
    kept.set_read_timeout(Some(BOUND)).expect("a timeout");
    kept.write_all(b"GET /_fake/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .expect("sent");
    let mut start = [0; 15];
    kept.read_exact(&mut start).expect("an answer");
    assert_eq!(&start, b"HTTP/1.1 200 OK");
    let (status, _, err) = running.stop("-TERM");
    assert_eq!(status, Some(0), "{err}");
    assert!(!err.contains("still busy"), "{err}");
    drop((untouched, kept));
}

#[test]
fn a_secret_that_was_given_is_printed_nowhere() {
    let mut command = program(&["--listen", "127.0.0.1:0", "--log", "trace"]);
    command.env(
        "FAKE_SQS_CREDENTIALS",
        "AKIDA:hunter2:123456789012 AKIDB:hunter3",
    );
    let running = Running::start(command);
    let (status, out, err) = running.stop("-TERM");
    assert_eq!(status, Some(0), "{err}");
    assert!(
        out.contains("access key AKIDA, secret as you gave it, account 123456789012"),
        "{out}"
    );
    assert!(
        out.contains("access key AKIDB, secret as you gave it, account 000000000000"),
        "{out}"
    );
    assert!(
        !out.contains("hunter") && !err.contains("hunter"),
        "{out}{err}"
    );
    assert!(!out.contains("access key test"), "{out}");
}

#[test]
fn it_serves_on_when_nobody_reads_its_output() {
    let mut running = Running::start(program(&["--listen", "127.0.0.1:0"]));
    let address = running.address();
    let rest = running.stdout.take();
    drop(rest);
    assert!(health(&address).starts_with("HTTP/1.1 200 OK\r\n"));
}

#[test]
fn health_says_whether_a_server_is_ready() {
    let running = Running::start(program(&["--listen", ALONE[1]]));
    let endpoint = format!("http://{}", running.address());
    becomes_ready(|| program(&["health", "--endpoint", &endpoint]));

    // In a container the server's own variable says where it listens.
    becomes_ready(|| {
        let mut by_variable = program(&["health"]);
        by_variable.env("FAKE_SQS_LISTEN", running.address());
        by_variable
    });

    running.stop("-TERM");
    let gone = run(program(&["health", "--endpoint", &endpoint]));
    assert_eq!(gone.status.code(), Some(1));
    assert!(
        text(&gone.stderr).starts_with("fake-sqs: nothing answers at http://127.0."),
        "{}",
        text(&gone.stderr)
    );
    let wrong = run(program(&["health", "--endpoint", "https://localhost"]));
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("it must be http://HOST:PORT"));
}

#[test]
fn bad_arguments_exit_with_2_and_repeat_no_secret() {
    for (arguments, expected) in [
        (&["--no-such-flag"][..], "--no-such-flag"),
        (
            &["--data-dir", "/dev/null/x"],
            "the data directory /dev/null/x cannot be used",
        ),
        (
            &["replay", "/dev/null/x"],
            "the data directory /dev/null/x cannot be used",
        ),
        (&["replay"], "<DIR>"),
        (
            &["--listen", "here"],
            "--listen is \"here\"; it must be ADDR:PORT",
        ),
        (
            &["--credential", "hunter2"],
            "--credential, number 1: a credential is KEY:SECRET",
        ),
        (&["--credential", "k", "hunter2"], "it is not repeated here"),
        (
            &["--credential", "k:hunter2", "--credential", "k:hunter3"],
            "two credentials have the access key \"k\"",
        ),
    ] {
        let output = run(program(arguments));
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(
            err.starts_with("fake-sqs: ") && err.contains(expected),
            "{err}"
        );
        assert!(!err.contains("hunter") && !err.contains("error: "), "{err}");
        assert_eq!(text(&output.stdout), "");
    }
    let mut by_variable = program(&[]);
    by_variable.env("FAKE_SQS_SEED", "x");
    let output = run(by_variable);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("FAKE_SQS_SEED is \"x\""),
        "{}",
        text(&output.stderr)
    );
}

/// A configuration file, which is gone with the test.
struct File(std::path::PathBuf);

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
fn a_file_is_served_with_its_queues_and_none_of_its_secrets_printed() {
    let file = File::new(
        "served",
        "listen = '127.0.0.1:0'\nlog = 'trace'\nseed = 7\n\
         [[credentials]]\naccess_key_id = 'AKIDA'\nsecret_access_key = 'hunter2'\n\
         session_token = 'hunter3'\n\
         [[queues]]\nname = 'orders'\nmessages = [{ body = 'first' }]\n",
    );
    let running = Running::start(program(&["--config", file.path()]));
    let health = health(&running.address());
    assert!(health.contains("\"queues\":1,\"messages\":1"), "{health}");
    let (status, out, err) = running.stop("-TERM");
    assert_eq!(status, Some(0), "{err}");
    assert!(
        out.contains("access key AKIDA, secret as you gave it"),
        "{out}"
    );
    assert!(err.contains("seed 7"), "{err}");
    assert!(
        !out.contains("hunter") && !err.contains("hunter"),
        "{out}{err}"
    );
}

#[test]
fn check_tells_everything_that_is_wrong_with_a_file() {
    let good = File::new("good", "[[queues]]\nname = 'orders'\n");
    let output = run(program(&["check", good.path()]));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let expected = format!("{} is right; it declares 1 queues\n", good.path());
    assert_eq!(text(&output.stdout), expected);

    let wrong = File::new(
        "wrong",
        "relaxd = true\n[[queues]]\nname = 'a'\nattributes = { DelaySeconds = 901 }\n",
    );
    for arguments in [&["check", wrong.path()][..], &["--config", wrong.path()]] {
        let output = run(program(arguments));
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(text(&output.stdout), "");
        let err = text(&output.stderr);
        let lines: Vec<_> = err.lines().collect();
        assert_eq!(lines.len(), 2, "{err}");
        let start = format!("fake-sqs: {}:", wrong.path());
        assert_eq!(
            lines[0],
            format!("{start}1:1: relaxd: unknown key; perhaps `relaxed` is meant")
        );
        let expected = format!("{start}4:16: queues[0].attributes.DelaySeconds: ");
        assert!(lines[1].starts_with(&expected), "{err}");
    }
    let missing = run(program(&["check", "/no/such/file"]));
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).starts_with("fake-sqs: cannot read /no/such/file: "));
}

#[test]
fn a_port_that_is_taken_is_exit_status_1_and_says_what_to_do() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    let output = run(program(&["--listen", &address]));
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(
        err.contains(&format!("cannot listen on {address}")),
        "{err}"
    );
    assert!(err.contains("another program has this port"), "{err}");
    assert!(err.contains("--listen ADDR:PORT"), "{err}");
    assert_eq!(text(&output.stdout), "");
}

#[test]
fn help_and_version_go_to_standard_output() {
    let help = run(program(&["--help"]));
    assert_eq!(help.status.code(), Some(0));
    for expected in [
        "--listen",
        "FAKE_SQS_CREDENTIALS",
        "--relaxed",
        "--seed",
        "health",
    ] {
        assert!(
            text(&help.stdout).contains(expected),
            "{}",
            text(&help.stdout)
        );
    }
    let version = run(program(&["--version"]));
    assert_eq!(version.status.code(), Some(0));
    assert_eq!(
        text(&version.stdout),
        format!("fake-sqs {}\n", env!("CARGO_PKG_VERSION"))
    );
}
