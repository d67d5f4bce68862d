//! A command that prints credentials.

use std::process::Stdio;

use reqsign_core::{CommandExecute, CommandOutput, Error, Result};
use tokio::io::AsyncReadExt;
use tokio::process::Command;

/// How much a command may print, in bytes.
const PRINTED: u64 = 64 * 1024;

/// Runs one command by the system's shell, whatever it is asked to run. The command ends when
/// nobody waits for it any more.
#[derive(Debug)]
pub(super) struct Shell {
    command: String,
}

impl Shell {
    pub(super) const fn new(command: String) -> Self {
        Self { command }
    }

    async fn run(&self) -> Result<CommandOutput> {
        let (shell, option) = if cfg!(windows) {
            ("cmd.exe", "/C")
        } else {
            ("sh", "-c")
        };
        let mut child = Command::new(shell)
            .args([option, &self.command])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| Error::unexpected(format!("the shell cannot be run: {error}")))?;
        let mut stdout = Vec::new();
        if let Some(printed) = child.stdout.take() {
            printed.take(PRINTED + 1).read_to_end(&mut stdout).await?;
        }
        if stdout.len() as u64 > PRINTED {
            return Err(Error::unexpected(format!(
                "it prints more than {PRINTED} bytes"
            )));
        }
        let status = child.wait().await?;
        Ok(CommandOutput {
            // Without a code it was ended by a signal.
            status: status.code().unwrap_or(-1),
            stdout,
            stderr: Vec::new(),
        })
    }
}

impl CommandExecute for Shell {
    async fn command_execute<'a>(&'a self, _: &'a str, _: &'a [&'a str]) -> Result<CommandOutput> {
        self.run().await
    }
}
