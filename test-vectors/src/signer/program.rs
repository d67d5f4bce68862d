//! A program that is spoken to line by line, within bounds.

use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{
    Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError, channel, sync_channel,
};
use std::thread;
use std::time::Duration;

/// How much is waited for and read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest time until an answer is there, and at the end until the program has ended.
    pub answer: Duration,
    /// The longest line, in bytes without its line feed.
    pub line: usize,
}

/// Ten seconds and 1 MiB.
impl Default for Limits {
    fn default() -> Self {
        Self {
            answer: Duration::from_secs(10),
            line: 1024 * 1024,
        }
    }
}

/// A running program. It is killed when this is dropped.
#[derive(Debug)]
pub struct Program {
    child: Child,
    questions: Option<Sender<String>>,
    lines: Receiver<Line>,
    limits: Limits,
}

/// Why a program was not started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The command line has no words, or a quote that is not closed.
    #[error("the command {0:?} cannot be split into words: it is empty or a quote is not closed")]
    Words(String),
    /// The operating system did not start it.
    #[error("{program} cannot be started: {source}")]
    Start {
        /// The first word.
        program: String,
        /// What the operating system says.
        source: std::io::Error,
    },
}

/// Why a program gives no more answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It closed its output; how it ended, if it did.
    Ended(Option<ExitStatus>),
    /// It gave no answer in this time.
    TimedOut(Duration),
    /// It wrote a line that is longer than this.
    TooLong(usize),
    /// It wrote a line that is not UTF-8.
    NotText,
    /// It wrote more lines than it was asked questions: the first of those.
    NotAsked(String),
    /// It did not end when its input did.
    RunsOn(Duration),
}

enum Line {
    Text(Vec<u8>),
    TooLong,
    End,
}

/// How often a program that closed its output is looked at, to learn how it ended.
const GLANCE: Duration = Duration::from_millis(10);

impl Program {
    /// Starts a program. `command` is split into words at white space; quotes, single or double, keep a
    /// word together, and there is no shell. Its standard error is this process's own.
    ///
    /// # Errors
    ///
    /// [`StartError`].
    pub fn start(command: &str, limits: Limits) -> Result<Self, StartError> {
        let words = words(command).ok_or_else(|| StartError::Words(command.to_owned()))?;
        let (program, arguments) = words
            .split_first()
            .ok_or_else(|| StartError::Words(command.to_owned()))?;
        let failed = |source| StartError::Start {
            program: program.clone(),
            source,
        };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (questions, asked) = channel();
        // A program that answers before it is asked waits after its second line.
        let (answered, lines) = sync_channel(1);
        if let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) {
            thread::spawn(move || write(input, &asked));
            thread::spawn(move || read(output, limits.line, &answered));
        }
        Ok(Self {
            child,
            questions: Some(questions),
            lines,
            limits,
        })
    }

    /// Asks one question, a line without its line feed, and waits for the answer.
    ///
    /// # Errors
    ///
    /// [`Fault`], after which there is no sense in asking again.
    pub fn ask(&mut self, question: String) -> Result<String, Fault> {
        match self.lines.try_recv() {
            Ok(Line::Text(line)) => return Err(Fault::NotAsked(shown(&line))),
            Ok(Line::TooLong) => return Err(Fault::TooLong(self.limits.line)),
            Ok(Line::End) => return Err(Fault::Ended(self.status())),
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => {}
        }
        if let Some(questions) = &self.questions {
            // Whoever does not take it has closed its input; whether it answers is seen below.
            let _ = questions.send(question);
        }
        match self.lines.recv_timeout(self.limits.answer) {
            Ok(Line::Text(line)) => String::from_utf8(line).map_err(|_| Fault::NotText),
            Ok(Line::TooLong) => Err(Fault::TooLong(self.limits.line)),
            Ok(Line::End) | Err(RecvTimeoutError::Disconnected) => Err(Fault::Ended(self.status())),
            Err(RecvTimeoutError::Timeout) => Err(Fault::TimedOut(self.limits.answer)),
        }
    }

    /// Closes the program's input and waits for its end.
    ///
    /// # Errors
    ///
    /// [`Fault`] when it writes another line, does not end, or ends with another status than 0.
    pub fn finish(mut self) -> Result<(), Fault> {
        self.questions = None;
        match self.lines.recv_timeout(self.limits.answer) {
            Ok(Line::Text(line)) => return Err(Fault::NotAsked(shown(&line))),
            Ok(Line::TooLong) => return Err(Fault::TooLong(self.limits.line)),
            Ok(Line::End) | Err(RecvTimeoutError::Disconnected) => {}
            Err(RecvTimeoutError::Timeout) => return Err(Fault::RunsOn(self.limits.answer)),
        }
        match self.status() {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(Fault::Ended(Some(status))),
            None => Err(Fault::RunsOn(self.limits.answer)),
        }
    }

    /// How a program ended that has closed its output. It is given the time of an answer to do so.
    fn status(&mut self) -> Option<ExitStatus> {
        let glances = self.limits.answer.as_millis() / GLANCE.as_millis();
        for _ in 0..=glances {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            // The standard library cannot wait for a process within a bound, so it is looked at.
            thread::park_timeout(GLANCE);
        }
        None
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // One that has ended already cannot be killed, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended(Some(status)) => write!(f, "the signer ended ({status})"),
            Self::Ended(None) => f.write_str("the signer closed its output"),
            Self::TimedOut(limit) => write!(f, "the signer did not answer within {limit:?}"),
            Self::TooLong(limit) => {
                write!(f, "the signer wrote a line of more than {limit} bytes")
            }
            Self::NotText => f.write_str("the signer wrote a line that is not UTF-8"),
            Self::NotAsked(line) => {
                write!(f, "the signer wrote a line that no case asked for: {line}")
            }
            Self::RunsOn(limit) => {
                write!(f, "the signer still ran {limit:?} after its input ended")
            }
        }
    }
}

fn write(mut input: ChildStdin, questions: &Receiver<String>) {
    for question in questions {
        let written = input
            .write_all(question.as_bytes())
            .and_then(|()| input.write_all(b"\n"))
            .and_then(|()| input.flush());
        if written.is_err() {
            return;
        }
    }
}

fn read(output: ChildStdout, limit: usize, lines: &SyncSender<Line>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        // The line feed, and one byte more to see that it is too long.
        let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(2);
        let count = (&mut output).take(most).read_until(b'\n', &mut line);
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        let line = match count {
            Ok(0) | Err(_) => Line::End,
            Ok(_) if line.len() > limit => Line::TooLong,
            Ok(_) => Line::Text(line),
        };
        let goes_on = matches!(line, Line::Text(_));
        if lines.send(line).is_err() || !goes_on {
            return;
        }
    }
}

/// The beginning of a line, for a message.
pub(super) fn shown(line: &[u8]) -> String {
    const SHOWN: usize = 200;
    let text = String::from_utf8_lossy(&line[..line.len().min(SHOWN)]).into_owned();
    if line.len() > SHOWN {
        format!("{text}… ({} bytes)", line.len())
    } else {
        text
    }
}

/// Splits a command line; `None` where a quote is not closed.
fn words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in command.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            Some(_) | None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_words_together() {
        let split = |command: &str| words(command);
        let owned = |words: &[&str]| Some(words.iter().map(|&word| word.to_owned()).collect());
        assert_eq!(split("  "), owned(&[]));
        assert_eq!(split(" a  b\tc "), owned(&["a", "b", "c"]));
        assert_eq!(
            split("sh -c 'a \"b\" $c'"),
            owned(&["sh", "-c", "a \"b\" $c"])
        );
        assert_eq!(split("\"C:\\a b\"\\c ''"), owned(&["C:\\a b\\c", ""]));
        assert_eq!(split("a 'b"), None);
    }

    #[test]
    fn a_command_that_cannot_be_started_says_so() {
        for (command, said) in [
            ("", "cannot be split"),
            ("'a", "cannot be split"),
            ("/no/such/program -x", "/no/such/program cannot be started"),
        ] {
            let error = Program::start(command, Limits::default()).unwrap_err();
            assert!(error.to_string().contains(said), "{error}");
        }
    }
}
