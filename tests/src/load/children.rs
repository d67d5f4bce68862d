//! Servers that the tool starts itself: the floor, and fake-sqs.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::floor::Canned;
use super::processor::Process;
use super::target::Endpoint;

/// How long a server may take to its first line.
const START_TIME_MAX: Duration = Duration::from_secs(20);

/// Names the program of fake-sqs, in place of the one beside this.
const FAKE_SQS_BIN: &str = "FAKE_SQS_BIN";

/// Cargo sets it, to its own path, for what it runs.
const CARGO: &str = "CARGO";

/// A server that ends with this.
#[derive(Debug)]
pub struct Server {
    /// Where it listens.
    pub endpoint: Endpoint,
    /// Its process.
    pub process: Process,
    _child: Child,
    _streams: (Option<ChildStdin>, BufReader<ChildStdout>),
}

impl Server {
    /// Starts the floor with what it is to answer.
    ///
    /// # Errors
    ///
    /// When it cannot be started; the text says why.
    pub async fn floor(answers: &[Canned]) -> Result<Self, String> {
        let own =
            env::current_exe().map_err(|error| format!("no path of this program: {error}"))?;
        let mut line = serde_json::to_vec(answers).map_err(|error| error.to_string())?;
        line.push(b'\n');
        Self::start(&own, &["floor"], Some(&line)).await
    }

    /// Starts fake-sqs with its defaults, on a free port.
    ///
    /// # Errors
    ///
    /// When it cannot be started; the text says why.
    pub async fn fake_sqs(program: &Path) -> Result<Self, String> {
        Self::start(program, &["--listen", "127.0.0.1:0"], None).await
    }

    async fn start(
        program: &Path,
        arguments: &[&str],
        input: Option<&[u8]>,
    ) -> Result<Self, String> {
        let name = program.display();
        let failed = |error: io::Error| format!("{name} does not start: {error}");
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(if input.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let mut stdin = child.stdin.take();
        if let (Some(stdin), Some(input)) = (&mut stdin, input) {
            stdin.write_all(input).await.map_err(failed)?;
        }
        let stdout = child
            .stdout
            .take()
            .ok_or_else(|| format!("{name} has no output"))?;
        let mut stdout = BufReader::new(stdout);
        let mut line = String::new();
        let first = tokio::time::timeout(START_TIME_MAX, stdout.read_line(&mut line));
        let _ = first
            .await
            .map_err(|_| format!("{name} says nothing within {START_TIME_MAX:?}"))?
            .map_err(failed)?;
        let endpoint = line
            .trim_end()
            .rsplit(' ')
            .next()
            .unwrap_or_default()
            .parse();
        let endpoint =
            endpoint.map_err(|_| format!("{name} does not say where it listens: {line:?}"))?;
        let id = child.id().ok_or_else(|| format!("{name} ended at once"))?;
        Ok(Self {
            endpoint,
            process: Process::new(id),
            _child: child,
            _streams: (stdin, stdout),
        })
    }
}

/// The program of fake-sqs: the one that the environment names, or the one beside this program. Under
/// cargo that one is built first, as this one was, so that it is never an old one.
///
/// # Errors
///
/// When there is none; the text says how to build it.
pub async fn fake_sqs_program() -> Result<PathBuf, String> {
    if let Some(named) = env::var_os(FAKE_SQS_BIN) {
        let named = PathBuf::from(named);
        return match named.is_file() {
            true => Ok(named),
            false => Err(format!(
                "{FAKE_SQS_BIN} names {}, which is no file",
                named.display()
            )),
        };
    }
    let own = env::current_exe().map_err(|error| format!("no path of this program: {error}"))?;
    let folder = own.parent().unwrap_or(Path::new("."));
    let program = folder.join(format!("fake-sqs{}", env::consts::EXE_SUFFIX));
    let is_release = folder.file_name() == Some(OsStr::new("release"));
    if let Some(cargo) = env::var_os(CARGO) {
        build(&cargo, is_release).await?;
    }
    if program.is_file() {
        return Ok(program);
    }
    let profile = if is_release { " --release" } else { "" };
    Err(format!(
        "{} is not there: build it with `cargo build{profile} -p fake-sqs`, or name another with \
         {FAKE_SQS_BIN}",
        program.display()
    ))
}

async fn build(cargo: &OsString, is_release: bool) -> Result<(), String> {
    let mut command = Command::new(cargo);
    command.args([
        "build", "--quiet", "--locked", "-p", "fake-sqs", "--bin", "fake-sqs",
    ]);
    if is_release {
        command.arg("--release");
    }
    let status = command
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .status()
        .await;
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("cargo could not build fake-sqs ({status})")),
        Err(error) => Err(format!("cargo does not start: {error}")),
    }
}
