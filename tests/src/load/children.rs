//! Servers that the tool starts itself: the floor, and fake-sqs.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::floor::Canned;
use super::processor::Process;
use super::target::Endpoint;

/// How long a server may take to its first line.
const START_TIME_MAX: Duration = Duration::from_secs(20);

/// What is kept of what a server says on standard error: the last of it, in bytes.
const WORDS_MAX: usize = 1_000;

/// How long the last of it is waited for, when the server has ended.
const WORDS_TIME_MAX: Duration = Duration::from_secs(5);

/// All settings of fake-sqs that the environment has begin so.
const SETTINGS: &str = "FAKE_SQS_";

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
    _streams: Streams,
}

/// What stays open as long as a server runs.
type Streams = (Option<ChildStdin>, BufReader<ChildStdout>);

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
        let mut command = command(program, arguments, env::vars_os().map(|(name, _)| name));
        if input.is_some() {
            command.stdin(Stdio::piped());
        }
        let child = command.spawn();
        let mut child = child.map_err(|error| format!("{name} does not start: {error}"))?;
        let words = child.stderr.take().map(last_words);
        let words = tokio::spawn(async {
            match words {
                Some(words) => words.await,
                None => String::new(),
            }
        });
        match Self::started(&mut child, input).await {
            Ok((endpoint, process, streams)) => Ok(Self {
                endpoint,
                process,
                _child: child,
                _streams: streams,
            }),
            Err(why) => {
                // It may have ended by itself.
                let _ = child.kill().await;
                let words = tokio::time::timeout(WORDS_TIME_MAX, words).await;
                let words = words.ok().and_then(Result::ok).unwrap_or_default();
                let said = if words.is_empty() { "" } else { "; it says: " };
                Err(format!("{name} {why}{said}{words}"))
            }
        }
    }

    /// Waits until a child says where it listens. Its input stays open, by which the floor sees that we are there.
    async fn started(
        child: &mut Child,
        input: Option<&[u8]>,
    ) -> Result<(Endpoint, Process, Streams), String> {
        let failed = |error: io::Error| format!("does not start: {error}");
        let mut stdin = child.stdin.take();
        if let (Some(stdin), Some(input)) = (&mut stdin, input) {
            stdin.write_all(input).await.map_err(failed)?;
        }
        let stdout = child.stdout.take().ok_or("has no output")?;
        let mut stdout = BufReader::new(stdout);
        let mut line = String::new();
        let first = tokio::time::timeout(START_TIME_MAX, stdout.read_line(&mut line));
        let read = first
            .await
            .map_err(|_| format!("says nothing within {START_TIME_MAX:?}"))?
            .map_err(failed)?;
        if read == 0 {
            return Err("ended before it listened".to_owned());
        }
        let endpoint = line.trim_end().rsplit(' ').next().unwrap_or_default();
        let endpoint = endpoint
            .parse()
            .map_err(|_| format!("does not say where it listens: {line:?}"))?;
        let id = child.id().ok_or("ended at once")?;
        Ok((endpoint, Process::new(id), (stdin, stdout)))
    }
}

/// What runs a server with its defaults: of this program's environment, which has variables of these names, it gets
/// no settings.
fn command(
    program: &Path,
    arguments: &[&str],
    variables: impl Iterator<Item = OsString>,
) -> Command {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    for name in variables.filter(|name| name.to_string_lossy().starts_with(SETTINGS)) {
        command.env_remove(name);
    }
    command
}

/// Reads all that a server says, so that it is never held up, and gives the last of it.
async fn last_words(mut said: impl AsyncRead + Unpin) -> String {
    let (mut kept, mut read) = (Vec::new(), [0; WORDS_MAX]);
    while let Ok(length @ 1..) = said.read(&mut read).await {
        kept.extend_from_slice(&read[..length]);
        kept.drain(..kept.len().saturating_sub(WORDS_MAX));
    }
    String::from_utf8_lossy(&kept).trim().to_owned()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::within;

    #[cfg(unix)]
    #[tokio::test]
    async fn a_server_that_does_not_start_says_why() {
        let shell = Path::new("/bin/sh");
        for (script, right) in [
            (
                "echo no such port >&2; exit 2",
                "/bin/sh ended before it listened; it says: no such port",
            ),
            ("exit 2", "/bin/sh ended before it listened"),
            (
                "echo hello; echo I am no server >&2; exec sleep 3600",
                "/bin/sh does not say where it listens: \"hello\\n\"",
            ),
        ] {
            let error = within(Server::start(shell, &["-c", script], None)).await;
            let error = error.expect_err(script);
            assert!(error.starts_with(right), "{error}");
        }
        let error = within(Server::start(Path::new("/none"), &[], None)).await;
        let error = error.expect_err("there is no such program");
        assert!(error.starts_with("/none does not start: "), "{error}");
    }

    #[tokio::test]
    async fn of_many_words_the_last_are_kept() {
        let said = format!("first{}last\n", ".".repeat(100 * WORDS_MAX));
        let kept = last_words(said.as_bytes()).await;
        assert_eq!(kept.len(), WORDS_MAX - 1);
        assert!(kept.starts_with('.') && kept.ends_with(".last"), "{kept}");
    }

    #[test]
    fn a_server_gets_no_settings_from_the_environment() {
        let names = [
            "FAKE_SQS_RELAXED",
            "PATH",
            "FAKE_SQS_LISTEN",
            "MY_FAKE_SQS_",
        ];
        let command = command(Path::new("a"), &[], names.into_iter().map(OsString::from));
        let changes: Vec<_> = command.as_std().get_envs().collect();
        let taken = ["FAKE_SQS_LISTEN", "FAKE_SQS_RELAXED"].map(|name| (OsStr::new(name), None));
        assert_eq!(changes, taken);
    }
}
