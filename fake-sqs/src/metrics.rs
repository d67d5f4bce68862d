//! What is counted, and what is measured when somebody asks.
//!
//! Counting a request costs a few look-ups and additions. What there is at present (messages, waiting
//! polls, the journal's size) is looked up only when the metrics are read.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, prometheus_text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use sqs_engine::Counts;
use sqs_engine::inspect::Inspect;

use crate::driver::Driver;
use crate::http::limits;
use crate::journal::{Entry, Journal, Outcome};

/// The content type of what [`Metrics::text`] gives.
pub(crate) const CONTENT_TYPE: &str = prometheus_text::CONTENT_TYPE;

/// What stands for the name of the queues that are summed up. A queue cannot have it.
const OTHERS: &str = "(others)";

/// What stands for the action of a request that names none.
const NO_ACTION: &str = "none";

/// Upper bounds of the engine's times, in seconds: it answers most calls in microseconds.
const ENGINE_BUCKETS: [f64; 12] = [
    0.000_005, 0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.005, 0.025, 0.1,
    1.0,
];

/// A counter for each value of one label.
type ByOne = Family<[(&'static str, &'static str); 1], Counter>;

/// A counter for each pair of values of two labels.
type ByTwo = Family<[(&'static str, &'static str); 2], Counter>;

/// The metrics of one server.
pub(crate) struct Metrics {
    registry: Registry,
    requests: ByTwo,
    refused: ByOne,
    faults: Family<[(&'static str, String); 1], Counter>,
    engine: Histogram,
    connections: Gauge,
}

impl Metrics {
    pub(crate) fn new(driver: Arc<Driver>, journal: Arc<Journal>) -> Self {
        let mut registry = Registry::with_prefix("fake_sqs");
        let requests = ByTwo::default();
        let help = "Requests, by action and by what came of them: ok, partial, hung_up, closed, or \
                    the code of the error";
        registry.register("requests", help, requests.clone());
        let refused = ByOne::default();
        let help = "Requests whose signature was refused, by reason";
        registry.register("refused_signatures", help, refused.clone());
        let faults = Family::default();
        registry.register(
            "fault_hits",
            "Times that a fault was met, by kind",
            faults.clone(),
        );
        let engine = Histogram::new(ENGINE_BUCKETS);
        let help = "Time that the engine took for a call, without the waiting of long polls";
        registry.register_with_unit("engine_duration", help, Unit::Seconds, engine.clone());
        let connections = Gauge::default();
        registry.register(
            "connections",
            "Connections that are open",
            connections.clone(),
        );
        registry.register_collector(Box::new(Present { driver, journal }));
        Self {
            registry,
            requests,
            refused,
            faults,
            engine,
            connections,
        }
    }

    /// Counts a request that has ended.
    pub(crate) fn count(&self, entry: &Entry, engine_time: Option<Duration>) {
        let action = entry.action().map_or(NO_ACTION, sqs::Operation::name);
        let outcome = match (entry.outcome(), entry.error()) {
            (Outcome::Refused | Outcome::Error, Some(code)) => code.name(),
            (outcome, _) => outcome.name(),
        };
        let labels = [("action", action), ("outcome", outcome)];
        self.requests.get_or_create(&labels).inc();
        if let Some(reason) = entry.refused_for() {
            self.refused.get_or_create(&[("reason", reason)]).inc();
        }
        for hit in entry.faults() {
            let labels = [("kind", hit.kind.to_string())];
            self.faults.get_or_create(&labels).inc();
        }
        if let Some(time) = engine_time {
            self.engine.observe(time.as_secs_f64());
        }
    }

    /// How many connections are open, to be kept by whoever opens and closes them.
    pub(crate) fn connections(&self) -> Gauge {
        self.connections.clone()
    }

    /// Everything in Prometheus's text format.
    pub(crate) fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        prometheus_text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// What is looked up when it is asked for.
struct Present {
    driver: Arc<Driver>,
    journal: Arc<Journal>,
}

impl fmt::Debug for Present {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Present").finish_non_exhaustive()
    }
}

impl Collector for Present {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let found = self.driver.look(Found::look);
        found.encode_messages(&mut encoder)?;
        let (requests, bytes) = self.journal.size();
        for (name, help, value) in [
            ("queues", "Queues", found.queues),
            ("waiting_polls", "Long polls that wait", found.waiting_polls),
            ("journal_requests", "Requests in the journal", requests),
        ] {
            gauge(&mut encoder, name, help, None, value)?;
        }
        let help = "Memory that the journal's requests take, roughly";
        gauge(&mut encoder, "journal", help, Some(&Unit::Bytes), bytes)
    }
}

/// What a look into the engine finds.
struct Found {
    queues: usize,
    waiting_polls: usize,
    messages: Vec<QueueCounts>,
}

/// How many messages a queue has, or all those that are summed up.
struct QueueCounts {
    account: String,
    region: String,
    queue: String,
    counts: Counts,
}

impl Found {
    fn look(inspect: Inspect<'_>) -> Self {
        let mut queues = inspect.queues();
        let first = queues.by_ref().take(limits::METRICS_QUEUES_MAX);
        let mut messages: Vec<_> = first
            .map(|queue| QueueCounts {
                account: queue.account().to_owned(),
                region: queue.region().to_owned(),
                queue: queue.name().to_owned(),
                counts: queue.counts(),
            })
            .collect();
        let others = queues
            .map(|queue| queue.counts())
            .reduce(|sum, queue| Counts {
                visible: sum.visible + queue.visible,
                delayed: sum.delayed + queue.delayed,
                in_flight: sum.in_flight + queue.in_flight,
            });
        messages.extend(others.map(|counts| QueueCounts {
            account: String::new(),
            region: String::new(),
            queue: OTHERS.to_owned(),
            counts,
        }));
        Self {
            queues: inspect.queue_count(),
            waiting_polls: inspect.waiting_polls(),
            messages,
        }
    }

    fn encode_messages(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        if self.messages.is_empty() {
            return Ok(());
        }
        let help = "Messages, by queue and state";
        let mut encoder = encoder.encode_descriptor("messages", help, None, MetricType::Gauge)?;
        for found in &self.messages {
            let Counts {
                visible,
                delayed,
                in_flight,
                ..
            } = found.counts;
            for (state, count) in [
                ("visible", visible),
                ("delayed", delayed),
                ("in_flight", in_flight),
            ] {
                let labels = [
                    ("account", found.account.as_str()),
                    ("region", found.region.as_str()),
                    ("queue", found.queue.as_str()),
                    ("state", state),
                ];
                ConstGauge::new(count).encode(encoder.encode_family(&labels)?)?;
            }
        }
        Ok(())
    }
}

fn gauge(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    unit: Option<&Unit>,
    value: usize,
) -> Result<(), fmt::Error> {
    let gauge = ConstGauge::new(value);
    let encoder = encoder.encode_descriptor(name, help, unit, MetricType::Gauge)?;
    gauge.encode(encoder)
}

#[cfg(test)]
mod tests;
