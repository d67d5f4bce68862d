//! One mix against one service, from the queues' making to their deletion.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;

use super::arguments::Plan;
use super::children::Server;
use super::crew::{Job, Outcome, Run};
use super::ledger::{MESSAGES_MAX, Promise};
use super::line::{Failure, Line};
use super::mix::Mix;
use super::processor::Process;
use super::program::complain;
use super::report::{Gone, Report, counted};
use super::sample;
use super::session::{Made, Session, Shape};
use super::target::Target;

/// How long what is left after a run is looked for.
const DRAIN_TIME_MAX: Duration = Duration::from_secs(60);

/// By how many connections.
const DRAIN_CONNECTIONS: u16 = 16;

/// What the TLS library says where something else is spoken.
const NO_TLS: &str = "corrupt message";

/// What the HTTP library says where something else is spoken.
const NO_HTTP: &str = "invalid HTTP version";

/// Whether a run has the bare server beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Floor {
    /// If it can: when the service is on this machine and no poll waits.
    Beside,
    /// No.
    Without,
}

impl Plan {
    /// Does it. The queues are deleted whatever happens, also when `stop` completes first.
    ///
    /// # Errors
    ///
    /// When the queues cannot be made, or the run breaks off; the text says why.
    pub async fn run(
        &self,
        floor: Floor,
        stop: impl Future<Output = ()>,
    ) -> Result<Report, String> {
        let credentials = self.credentials.clone();
        let target = Target::signed_with(self.endpoint.clone(), credentials, &self.region);
        let mut session = Session::new(&Arc::new(target), self.shape());
        let mut stop = pin!(stop);
        let made = session.make(stop.as_mut()).await;
        let session = Arc::new(session);
        let result = match made {
            Ok(Made::All) => tokio::select! {
                result = self.measure(&session, floor) => result,
                () = stop => Err(interrupted(&session)),
            },
            Ok(Made::Stopped) => Err(interrupted(&session)),
            Err(failure) => Err(self.explain(&failure)),
        };
        let left = session.close().await;
        if left == 0 {
            return result;
        }
        let left = counted(left as u64, "queue");
        let left = format!("not deleted: {left} with names {}…", session.prefix);
        match result {
            Ok(mut report) => {
                report.remarks.push(left);
                Ok(report)
            }
            Err(error) => Err(format!("{error}; {left}")),
        }
    }

    fn explain(&self, failure: &Failure) -> String {
        match failure {
            Failure::Connect(why) => {
                let hint = if self.endpoint.is_https() && why.contains(NO_TLS) {
                    "; what answers there does not speak TLS: perhaps it is plain http://"
                } else {
                    ""
                };
                format!("nothing answers at {}: {why}{hint}", self.endpoint)
            }
            Failure::Broken(why) if !self.endpoint.is_https() && why.contains(NO_HTTP) => format!(
                "{} makes no queue: {failure}; what answers there does not speak HTTP: perhaps it is https://",
                self.endpoint
            ),
            Failure::Refused { status, .. } if is_of_the_caller(*status) => {
                let hint = if self.endpoint.local_port().is_some() {
                    "; if this is fake-sqs, its log says why"
                } else {
                    ""
                };
                format!("{} makes no queue: {failure}{hint}", self.endpoint)
            }
            other => format!("{} makes no queue: {other}", self.endpoint),
        }
    }

    /// Why the processor time of the service is not known, if it is not.
    fn time_unknown(&self, gone: Option<&Gone>) -> &'static str {
        match (gone, self.endpoint.local_port()) {
            (Some(_), _) => "it went away",
            (None, None) => "its process is not on this machine",
            (None, Some(_)) => "this system does not tell, or not to this user",
        }
    }

    fn shape(&self) -> Shape {
        Shape {
            promise: if self.mix == Mix::Fifo {
                Promise::Fifo
            } else {
                Promise::Standard
            },
            queues: usize::from(self.queues),
            groups: self.groups,
            connections: self.workers(),
            size: self.size,
        }
    }

    /// All connections; where all of them wait, one more wakes them.
    fn workers(&self) -> u16 {
        self.connections + u16::from(self.mix == Mix::Idle)
    }

    async fn measure(&self, session: &Arc<Session>, floor: Floor) -> Result<Report, String> {
        let mut remarks = Vec::new();
        let floor = match floor {
            Floor::Beside => self.floor(session, &mut remarks).await?,
            Floor::Without => None,
        };
        let servers = self.endpoint.local_port().map(Process::listening);
        let job = Job::Mix(self.mix);
        let mut run = Run::new(job, self.workers(), self.warmup, self.seconds);
        run.answer_time_max = self.answer_time_max;
        run.rate = self.rate.map(f64::from);
        let outcome = run
            .run_beside(session, &servers.unwrap_or_default())
            .await?;
        if session.ledger.is_full() {
            remarks.push(format!(
                "ended early: no more than {MESSAGES_MAX} messages, as many of each sender, can be checked"
            ));
        }
        let line = Line::new(Arc::clone(&session.target));
        let mut gone = line.gone().await;
        let unchecked = match &gone {
            None => settle(session, &outcome).await?,
            Some(_) => session.ledger.missing(),
        };
        // It may go away while what is left is looked for, too.
        if gone.is_none() {
            gone = line.gone().await;
        }
        let gone = gone.map(|why| Gone {
            after: outcome.answered,
            why,
        });
        let outcome = match &gone {
            None => outcome,
            Some(_) => outcome.until_answered(),
        };
        // What is cut short compares with nothing.
        let beside = match (&floor, &gone) {
            (Some((_server, session)), None) => Some(run.run(session, None).await?),
            (Some(_) | None, _) => None,
        };
        Ok(Report {
            mix: self.mix,
            connections: self.connections,
            size: self.size,
            faults: session.ledger.faults(),
            doubled: session.ledger.doubled(),
            unchecked,
            outcome,
            time_unknown: self.time_unknown(gone.as_ref()),
            gone,
            floor: beside,
            remarks,
        })
    }

    async fn floor(
        &self,
        session: &Arc<Session>,
        remarks: &mut Vec<String>,
    ) -> Result<Option<(Server, Arc<Session>)>, String> {
        let why = match self.mix {
            Mix::Poll | Mix::Idle => "it has no polls that wait",
            Mix::Send | Mix::Cycle | Mix::Batch | Mix::Fifo if self.rate.is_some() => {
                "at a given rate both are as fast"
            }
            Mix::Send | Mix::Cycle | Mix::Batch | Mix::Fifo => {
                if self.endpoint.local_port().is_some() {
                    return beside(session, self.mix).await.map(Some);
                }
                "the service is not on this machine"
            }
        };
        remarks.push(format!("no bare server beside it: {why}"));
        Ok(None)
    }
}

/// Says what is done now: it may take long, and may be interrupted too.
fn interrupted(session: &Session) -> String {
    let queues = counted(session.queues.len() as u64, "queue");
    let prefix = &session.prefix;
    complain(&format!(
        "interrupted; deleting {queues} with names {prefix}…"
    ));
    "interrupted".to_owned()
}

/// The floor, with the answers of a session's service.
///
/// # Errors
///
/// When the service refuses, or the floor does not start.
pub async fn beside(session: &Arc<Session>, mix: Mix) -> Result<(Server, Arc<Session>), String> {
    let answers = sample::take(session, mix).await;
    let answers =
        answers.map_err(|failure| format!("the service fails a first call: {failure}"))?;
    let server = Server::floor(&answers).await?;
    let target = Target::new(server.endpoint.clone(), "test", "test", "us-east-1");
    let at_floor = session.at_floor(&Arc::new(target));
    Ok((server, Arc::new(at_floor)))
}

/// Receives what is left, and judges what never came; how many messages there was no time for, or
/// that may be behind one that was not deleted.
///
/// # Errors
///
/// When the connections do not end.
pub async fn settle(session: &Arc<Session>, outcome: &Outcome) -> Result<u64, String> {
    if session.ledger.has_faults() {
        return Ok(0);
    }
    let drain = Run::new(
        Job::Drain,
        DRAIN_CONNECTIONS,
        Duration::ZERO,
        DRAIN_TIME_MAX,
    );
    let drained = drain.run(session, None).await?;
    let ended_early = drained.measured < DRAIN_TIME_MAX && drained.tally.gave_up == 0;
    if ended_early {
        let excused = outcome.tally.unheard + drained.tally.unheard;
        return Ok(session.ledger.judge_missing(excused));
    }
    Ok(session.ledger.missing())
}

/// Whether a status is about who called: what AWS answers to a wrong key, secret or signature.
fn is_of_the_caller(status: StatusCode) -> bool {
    [
        StatusCode::BAD_REQUEST,
        StatusCode::UNAUTHORIZED,
        StatusCode::FORBIDDEN,
    ]
    .contains(&status)
}
