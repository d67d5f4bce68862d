//! fake-sqs beside the bare server, against what it must reach.
//!
//! Server and load share the machine, which may be a noisy one. So what is compared runs in turn, in short
//! rounds, and the median of the rounds' ratios is what counts.

mod table;

mod backlog;
mod latency;
mod operations;
mod polls;
mod rounds;
mod throughput;

use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueEnum;

use super::arguments::{Form, Part};
use super::children::{self, Server};
use super::crew::Outcome;
use super::plain::settle;
use super::program::{complain, say};
use super::session::{Session, Shape};
use super::target::Target;

pub use self::table::{Row, Table};

/// Prints the table; whether each number is reached.
///
/// # Errors
///
/// When there is no fake-sqs to measure.
pub async fn run(
    form: Form,
    parts: &[Part],
    stop: impl Future<Output = ()>,
) -> Result<bool, String> {
    let bench = Bench {
        program: children::fake_sqs_program().await?,
    };
    let mut table = Table::default();
    let is_whole = tokio::select! {
        () = measure(&bench, parts, &mut table) => true,
        () = stop => false,
    };
    if !is_whole {
        table.not_measured("the rest", "interrupted");
        tell(&table);
    }
    match form {
        Form::Text => say(&table.to_string()),
        Form::Json => say(&table.json().to_string()),
    }
    Ok(table.rows.iter().all(|row| row.met))
}

/// A part that cannot be measured is missed, and the others are measured all the same.
async fn measure(bench: &Bench, parts: &[Part], table: &mut Table) {
    for part in parts {
        let measured = match part {
            Part::Cycle => throughput::cycle(bench, table).await,
            Part::Batch => throughput::batches(bench, table).await,
            Part::Backlog => backlog::run(bench, table).await,
            Part::Polls => polls::run(bench, table).await,
            Part::Queues => operations::run(bench, table).await,
            Part::Latency => latency::run(bench, table).await,
        };
        if let Err(error) = measured {
            let value = part.to_possible_value();
            let name = value.as_ref().map_or("", |value| value.get_name());
            table.not_measured(&format!("the part {name}"), &error);
        }
        tell(table);
    }
}

/// It takes minutes, so what is measured so far is told on standard error.
fn tell(table: &Table) {
    for row in table.rows.iter().skip(table.told.get()) {
        let met = if row.met { "" } else { " MISSED" };
        complain(&format!("{}: {}{met}", row.what, row.measured));
    }
    table.told.set(table.rows.len());
}

/// Where servers come from.
#[derive(Clone, Debug)]
struct Bench {
    program: PathBuf,
}

impl Bench {
    async fn server(&self) -> Result<Server, String> {
        Server::fake_sqs(&self.program).await
    }
}

/// Queues at a server that was started with its defaults.
async fn session(server: &Server, shape: Shape) -> Result<Arc<Session>, String> {
    let target = Target::new(server.endpoint.clone(), "test", "test", "us-east-1");
    let session = Session::open(&Arc::new(target), shape).await;
    session
        .map(Arc::new)
        .map_err(|failure| format!("no queues: {failure}"))
}

/// Receives what is left after these runs, all of a session's. A request that failed, or anything that is wrong
/// with what came, makes every number worthless.
async fn settled(session: &Arc<Session>, outcome: &Outcome) -> Result<(), String> {
    answered(outcome)?;
    let unchecked = settle(session, outcome).await?;
    if unchecked > 0 {
        return Err(format!("{unchecked} messages were left unchecked"));
    }
    sound(session)
}

fn answered(outcome: &Outcome) -> Result<(), String> {
    match &outcome.tally.last_error {
        None => Ok(()),
        Some(error) => Err(format!("a request failed: {error}")),
    }
}

fn sound(session: &Session) -> Result<(), String> {
    let (count, faults) = session.ledger.faults();
    match faults.first() {
        None => Ok(()),
        Some(fault) => Err(format!("{count} faults; the first: {fault}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_cannot_be_measured_is_missed_and_takes_nothing_else_with_it() {
        let bench = Bench {
            program: "/none".into(),
        };
        let mut table = Table::default();
        let parts = Part::value_variants();
        measure(&bench, parts, &mut table).await;
        assert_eq!(table.rows.len(), parts.len());
        for row in &table.rows {
            let why = "not measured: /none does not start: ";
            assert!(!row.met && row.measured.starts_with(why), "{row:?}");
        }
        assert_eq!(table.rows[1].what, "the part batch");
        assert_eq!(table.told.get(), parts.len());
    }

    #[test]
    fn one_request_that_failed_is_an_error() {
        let mut outcome = Outcome::default();
        assert_eq!(answered(&outcome), Ok(()));
        outcome.tally.last_error = Some("no".to_owned());
        assert_eq!(answered(&outcome), Err("a request failed: no".to_owned()));
    }
}
