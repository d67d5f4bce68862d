//! One mix against one service, from the queues' making to their deletion.

use std::sync::Arc;
use std::time::Duration;

use super::arguments::Plan;
use super::children::Server;
use super::crew::{Job, Outcome, Run};
use super::ledger::{Fault, Promise};
use super::line::Failure;
use super::mix::Mix;
use super::processor::Process;
use super::report::Report;
use super::sample;
use super::session::{Session, Shape};
use super::target::Target;

/// How long what is left after a run is looked for.
const DRAIN_TIME_MAX: Duration = Duration::from_secs(60);

/// A finished run, and what it found.
#[derive(Clone, Debug)]
pub struct Finished {
    /// What is printed.
    pub report: Report,
    /// What must not be: how many, and the first of them.
    pub faults: (u64, Vec<Fault>),
}

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
    ) -> Result<Finished, String> {
        let target = Target::new(self.endpoint.clone(), &self.key, &self.secret, &self.region);
        let session = Session::open(&Arc::new(target), self.shape()).await;
        let session = session.map_err(|failure| self.explain(&failure))?;
        let session = Arc::new(session);
        let result = tokio::select! {
            result = self.measure(&session, floor) => result,
            () = stop => Err("interrupted".to_owned()),
        };
        let left = session.close().await;
        let mut finished = result?;
        if left > 0 {
            let remark = format!("{left} queues could not be deleted: {}…", session.prefix);
            finished.report.remarks.push(remark);
        }
        Ok(finished)
    }

    fn explain(&self, failure: &Failure) -> String {
        match failure {
            Failure::Connect(why) => format!("nothing answers at {}: {why}", self.endpoint),
            other => format!("{} makes no queue: {other}", self.endpoint),
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

    async fn measure(&self, session: &Arc<Session>, floor: Floor) -> Result<Finished, String> {
        let mut remarks = Vec::new();
        let floor = match floor {
            Floor::Beside => self.floor(session, &mut remarks).await?,
            Floor::Without => None,
        };
        let server = self.endpoint.local_port().and_then(Process::listening);
        let job = Job::Mix(self.mix);
        let mut run = Run::new(job, self.workers(), self.warmup, self.seconds);
        run.answer_time_max = self.answer_time_max;
        run.rate = self.rate.map(f64::from);
        let outcome = run.run(session, server).await?;
        let unchecked = settle(session, &outcome).await?;
        let beside = match &floor {
            Some((_server, session)) => Some(run.run(session, None).await?),
            None => None,
        };
        Ok(Finished {
            faults: session.ledger.faults(),
            report: Report {
                mix: self.mix,
                connections: self.connections,
                size: self.size,
                doubled: session.ledger.doubled(),
                unchecked,
                outcome,
                floor: beside,
                remarks,
            },
        })
    }

    async fn floor(
        &self,
        session: &Arc<Session>,
        remarks: &mut Vec<String>,
    ) -> Result<Option<(Server, Arc<Session>)>, String> {
        let why = match self.mix {
            Mix::Poll | Mix::Idle => "it has no polls that wait",
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

/// Receives what is left, and judges what never came; how many messages there was no time for.
///
/// # Errors
///
/// When the connections do not end.
pub async fn settle(session: &Arc<Session>, outcome: &Outcome) -> Result<u64, String> {
    if session.ledger.has_faults() {
        return Ok(0);
    }
    let connections = session.shape.connections.min(16);
    let drain = Run::new(Job::Drain, connections, Duration::ZERO, DRAIN_TIME_MAX);
    let drained = drain.run(session, None).await?;
    let ended_early = drained.measured < DRAIN_TIME_MAX && drained.tally.gave_up == 0;
    if ended_early {
        let excused = outcome.tally.unheard + drained.tally.unheard;
        session.ledger.judge_missing(excused);
        return Ok(0);
    }
    Ok(session.ledger.missing())
}
