//! What can be chosen about a server, each as it was given or not.

use std::net::SocketAddr;
use std::path::PathBuf;

use sqs_engine::Rules;

use crate::clock::ClockStart;
use crate::driver::AutoCreate;
use crate::faults::Fault;
use crate::http::cors::Cors;
use crate::journal::Bounds;
use crate::{AccountId, ControlHost, Credential, QueueDeclaration};

/// A builder has these twice: as a file gives them, and as they were given to the builder itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) listen: Option<SocketAddr>,
    pub(crate) credentials: Vec<Credential>,
    pub(crate) account: Option<AccountId>,
    pub(crate) region: Option<String>,
    pub(crate) rules: Option<Rules>,
    pub(crate) in_flight_standard: Option<u32>,
    pub(crate) in_flight_fifo: Option<u32>,
    pub(crate) connections_max: Option<usize>,
    pub(crate) auto_create: Option<AutoCreate>,
    pub(crate) cors: Option<Cors>,
    pub(crate) seed: Option<u64>,
    pub(crate) clock: Option<ClockStart>,
    pub(crate) control_hosts: Vec<ControlHost>,
    pub(crate) queues: Vec<QueueDeclaration>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) journal: Option<Bounds>,
    pub(crate) data_dir: Option<PathBuf>,
}

impl Settings {
    /// These, and the other's where these say nothing. Credentials and control hosts replace the
    /// other's; queues and faults come on top.
    pub(crate) fn over(self, other: Self) -> Self {
        let mut queues = other.queues;
        queues.extend(self.queues);
        let mut faults = other.faults;
        faults.extend(self.faults);
        Self {
            listen: self.listen.or(other.listen),
            credentials: given(self.credentials, other.credentials),
            account: self.account.or(other.account),
            region: self.region.or(other.region),
            rules: self.rules.or(other.rules),
            in_flight_standard: self.in_flight_standard.or(other.in_flight_standard),
            in_flight_fifo: self.in_flight_fifo.or(other.in_flight_fifo),
            connections_max: self.connections_max.or(other.connections_max),
            auto_create: self.auto_create.or(other.auto_create),
            cors: self.cors.or(other.cors),
            seed: self.seed.or(other.seed),
            clock: self.clock.or(other.clock),
            control_hosts: given(self.control_hosts, other.control_hosts),
            queues,
            faults,
            journal: self.journal.or(other.journal),
            data_dir: self.data_dir.or(other.data_dir),
        }
    }
}

fn given<T>(list: Vec<T>, other: Vec<T>) -> Vec<T> {
    if list.is_empty() { other } else { list }
}
