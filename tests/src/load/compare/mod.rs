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

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::arguments::{Form, Part};
use super::children::{self, Server};
use super::program::{complain, say};
use super::session::{Session, Shape};
use super::target::Target;

pub use self::table::{Row, Table};

/// Prints the table; whether each number is reached.
///
/// # Errors
///
/// When something cannot be measured.
pub async fn run(
    form: Form,
    parts: &[Part],
    stop: impl Future<Output = ()>,
) -> Result<bool, String> {
    let program = children::fake_sqs_program().await?;
    tokio::select! {
        result = measure(&program, form, parts) => result,
        () = stop => Err("interrupted".to_owned()),
    }
}

async fn measure(program: &Path, form: Form, parts: &[Part]) -> Result<bool, String> {
    let bench = Bench {
        program: program.to_owned(),
    };
    let mut table = Table::default();
    for part in parts {
        match part {
            Part::Cycle => throughput::cycle(&bench, &mut table).await?,
            Part::Batch => throughput::batches(&bench, &mut table).await?,
            Part::Backlog => backlog::run(&bench, &mut table).await?,
            Part::Polls => polls::run(&bench, &mut table).await?,
            Part::Queues => operations::run(&bench, &mut table).await?,
            Part::Latency => latency::run(&bench, &mut table).await?,
        }
        tell(&table);
    }
    match form {
        Form::Text => say(&table.to_string()),
        Form::Json => say(&table.json().to_string()),
    }
    Ok(table.rows.iter().all(|row| row.met))
}

/// It takes minutes, so what is measured so far is told on standard error.
fn tell(table: &Table) {
    for row in table.rows.iter().skip(table.told.get()) {
        complain(&format!("{}: {}", row.what, row.measured));
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

/// A check that failed makes every number worthless.
fn sound(session: &Session) -> Result<(), String> {
    let (count, faults) = session.ledger.faults();
    match faults.first() {
        None => Ok(()),
        Some(fault) => Err(format!("{count} faults; the first: {fault}")),
    }
}
