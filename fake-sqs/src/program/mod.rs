//! The program around the server: arguments, the start-up text, signals, exit statuses.

mod arguments;
#[cfg(unix)]
mod descriptors;
mod greeting;
mod health;

use std::convert::Infallible;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use fake_sqs::{Configuration, ReplayedFrom, StartError};
use tokio::sync::oneshot;

use self::arguments::{ArgumentError, Command, Serve, Variables};
use self::greeting::Secrets;
use self::health::HealthError;

/// Exit status for what went wrong while running.
const FAILURE: u8 = 1;

/// Exit status for arguments or settings that cannot be used.
const BAD_ARGUMENTS: u8 = 2;

/// Runs the program to its end. The result is 0 after a signal to stop, 2 for bad arguments or
/// settings, 1 otherwise.
pub(crate) fn run() -> ExitCode {
    let variables = Variables {
        value: &|name| std::env::var_os(name),
        names: &|| std::env::vars_os().map(|(name, _)| name).collect(),
    };
    match Command::parse(std::env::args_os(), variables) {
        Ok(Command::Serve(serve)) => match self::serve(&serve) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error),
        },
        Ok(Command::Health { endpoint }) => match health::check(&endpoint, health::STEP_TIME_MAX) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                complain(&error.to_string());
                ExitCode::from(match error {
                    HealthError::Endpoint(_) => BAD_ARGUMENTS,
                    HealthError::Unreachable { .. } | HealthError::NotReady { .. } => FAILURE,
                })
            }
        },
        Ok(Command::Replay { directory }) => replay(&directory),
        Ok(Command::Check { file }) => check(&file),
        // Help and version are no errors: clap prints them on standard output, and exits with 0.
        Err(ArgumentError::Clap(error)) if !error.use_stderr() => {
            say(&error.to_string());
            ExitCode::SUCCESS
        }
        Err(error) => {
            complain(&error.to_string());
            ExitCode::from(BAD_ARGUMENTS)
        }
    }
}

fn replay(directory: &Path) -> ExitCode {
    match fake_sqs::replay(directory, |difference| say(&format!("{difference}\n"))) {
        Ok(replay) => {
            let from = match replay.from {
                ReplayedFrom::Beginning => "the beginning",
                ReplayedFrom::Snapshot => "the last snapshot",
            };
            say(&format!(
                "{} repeated from {from} on, {} answered otherwise\n",
                replay.repeated, replay.differences
            ));
            ExitCode::from(match replay.differences {
                0 => 0,
                _ => FAILURE,
            })
        }
        Err(error) => {
            complain(&error.to_string());
            ExitCode::from(BAD_ARGUMENTS)
        }
    }
}

/// Says whether a configuration file is right, and if not what is wrong, a line each.
fn check(file: &Path) -> ExitCode {
    match Configuration::read(file) {
        Ok(configuration) => {
            let queues = configuration.queue_count();
            say(&format!(
                "{} is right; it declares {queues} queues\n",
                file.display()
            ));
            ExitCode::SUCCESS
        }
        Err(error) => {
            complain(&error.to_string());
            ExitCode::from(BAD_ARGUMENTS)
        }
    }
}

fn serve(serve: &Serve) -> Result<(), Failure> {
    tracing_subscriber::fmt()
        .with_max_level(serve.log())
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .init();
    for warning in serve.warnings() {
        tracing::warn!("{warning}");
    }
    let server = serve.builder().bind().map_err(Failure::Start)?;
    #[cfg(unix)]
    descriptors::raise_limit(server.connections_max());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(Failure::Runtime)?;
    runtime.block_on(async {
        // The signals are taken before the first line is out: whoever reads it may send one.
        let mut signals = Signals::new().map_err(Failure::Runtime)?;
        let secrets = match serve.has_built_in_credential() {
            true => Secrets::BuiltIn,
            false => Secrets::Given,
        };
        say(&greeting::greeting(&server, secrets));
        let (stop, stopped) = oneshot::channel::<Infallible>();
        let signalled = async {
            let name = signals.next().await;
            tracing::info!("stopping after {name}; another signal does not wait for open calls");
            drop(stop);
            let name = signals.next().await;
            tracing::info!("stopping at once after {name}");
        };
        let run = server.run(async {
            // It ends when its sender is dropped, since nothing can be sent.
            let _ = stopped.await;
        });
        tokio::select! {
            result = run => result.map_err(Failure::Runtime),
            () = signalled => Ok(()),
        }
    })
}

/// Why the server ended other than by a signal.
enum Failure {
    Start(StartError),
    Runtime(io::Error),
}

fn fail(failure: &Failure) -> ExitCode {
    match failure {
        Failure::Start(error @ StartError::Listen { source, .. }) => {
            complain(&error.to_string());
            match source.kind() {
                io::ErrorKind::AddrInUse => complain(
                    "another program has this port, perhaps another fake-sqs: stop it, or choose \
                     another port with --listen ADDR:PORT (port 0 takes a free one)",
                ),
                io::ErrorKind::AddrNotAvailable => complain(
                    "this machine does not have that address: --listen 127.0.0.1:9324 is reached \
                     from this machine only, --listen 0.0.0.0:9324 from anywhere",
                ),
                io::ErrorKind::PermissionDenied => {
                    complain("ports below 1024 need privileges: choose another with --listen");
                }
                _ => {}
            }
            ExitCode::from(FAILURE)
        }
        Failure::Start(
            error @ (StartError::DuplicateAccessKey(_)
            | StartError::Region(_)
            | StartError::DataDir(_)
            | StartError::Fault(_)
            | StartError::Queue { .. }),
        ) => {
            complain(&error.to_string());
            ExitCode::from(BAD_ARGUMENTS)
        }
        Failure::Start(error) => {
            complain(&error.to_string());
            ExitCode::from(FAILURE)
        }
        Failure::Runtime(error) => {
            complain(&format!("the system refused: {error}"));
            ExitCode::from(FAILURE)
        }
    }
}

/// The signals to stop, SIGINT and SIGTERM.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Completes at the next one, with its name.
    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
        }
    }
}

/// The signal to stop, Ctrl-C.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    /// Completes at the next one, with its name.
    async fn next(&mut self) -> &'static str {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        "Ctrl-C"
    }
}

/// Prints on standard output. Whoever started the program may have closed it after the first line,
/// and that is no reason to stop serving.
fn say(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints on standard error, each line with the program's name in front.
fn complain(text: &str) {
    let mut out = io::stderr().lock();
    for line in text.trim_end().lines() {
        let _ = writeln!(out, "fake-sqs: {line}");
    }
}
