//! What the server accepts from the network at most.
//!
//! Every bound on a connection or a request has its name, its unit and its reason here.

use std::time::Duration;

/// Body of an SQS request, in bytes: 8 MiB. A legal message of 1 MiB can be escaped to about 6 MiB
/// of JSON, or 3 MiB of a form, and its attributes come on top.
pub const BODY_BYTES_MAX: usize = 8 * 1024 * 1024;

/// All bodies together, in bytes: 256 MiB. Requests whose bodies do not fit wait until others are
/// answered. Bodies of up to [`SMALL_BODY_BYTES`] are not counted.
pub const BODIES_BYTES_MAX: usize = 256 * 1024 * 1024;

/// A body that needs no place among [`BODIES_BYTES_MAX`], in bytes: 64 KiB. With as many connections
/// as there may be these take as much again at most.
pub const SMALL_BODY_BYTES: u64 = 64 * 1024;

/// How much of a body that is too large is read and thrown away, in bytes: 64 MiB. Clients write
/// their whole request before they read the answer; closing the connection earlier would lose the
/// refusal on its way to them.
pub const BODY_BYTES_DISCARDED_MAX: usize = 64 * 1024 * 1024;

/// Body of a request to the control interface, in bytes: 1 MiB.
pub const CONTROL_BODY_BYTES_MAX: usize = 1024 * 1024;

/// Queues, messages, groups or ids that the control interface shows at once: 1,000, and 100 unless a
/// request asks for another number.
pub const CONTROL_PAGE_MAX: usize = 1_000;

/// The length of a page for which no `limit` is given: 100.
pub const CONTROL_PAGE_DEFAULT: usize = 100;

/// Bodies of messages that the control interface shows at once, in bytes: 8 MiB. One message is
/// shown however long it is.
pub const CONTROL_PAGE_BYTES: usize = 8 * 1024 * 1024;

/// Messages that are looked at to fill one page: 10,000. Visible messages have no list of their own
/// in the order of a page, so a page may find fewer than there are, and says where to go on.
pub const CONTROL_PAGE_LOOKS: usize = 10_000;

/// Time in which a whole body must have arrived, from the end of its headers.
pub const BODY_TIME_MAX: Duration = Duration::from_secs(30);

/// Request line and headers together, in bytes: 64 KiB. A presigned URL with a session token takes
/// about 4 KiB, and what is left bounds the message that a GET of the Query protocol can send.
/// While they come, up to twice as much is read.
pub const HEAD_BYTES_MAX: usize = 64 * 1024;

/// Headers of a request: 100. It is hyper's own bound, which costs nothing; asking it for any
/// other number would cost an allocation for every request.
pub const HEADERS_MAX: usize = 100;

/// Time in which the headers of a request must have arrived, from the connection's start or the end
/// of the answer before: 120 s. It is also how long an idle connection is kept, so it is longer than
/// the 90 s after which the pools of common clients drop an idle connection themselves: a server
/// that closes first can close just as the next request is sent.
pub const HEAD_TIME_MAX: Duration = Duration::from_secs(120);

/// Time in which a client must take some of its answer: 30 s. A connection on which nothing can be
/// written for so long is closed.
pub const WRITE_TIME_MAX: Duration = Duration::from_secs(30);

/// Connections at once, unless the server is told another number: 4,096. As a waiting poll has a
/// connection of its own, no more polls wait. Further ones wait in the system's queue until one ends.
pub const CONNECTIONS_MAX: usize = 4_096;

/// Pages that listen for changes at once, at `GET /_fake/events`: 32. Each keeps a connection.
pub const EVENT_LISTENERS_MAX: usize = 32;

/// How seldom the log repeats that there are too many connections, or that none can be accepted.
pub const WARNING_PERIOD: Duration = Duration::from_secs(60);

/// How long a stopping server waits for the answers that are under way; what is left then is
/// closed. Waiting polls are answered at once and take none of this.
pub const STOP_TIME_MAX: Duration = Duration::from_secs(5);

/// Requests that the journal keeps: 10,000, unless the builder says otherwise.
pub const JOURNAL_REQUESTS_DEFAULT: usize = 10_000;

/// Memory that the journal's requests take, roughly, in bytes: 8 MiB, unless the builder says
/// otherwise. A send with a body of 1 KiB takes about 2 KiB.
pub const JOURNAL_BYTES_DEFAULT: usize = 8 * 1024 * 1024;

/// How much of a request's or an answer's body the journal keeps, in bytes: 1 KiB.
pub const JOURNAL_BODY_BYTES_MAX: usize = 1_024;

/// How long a reader of the journal may wait for more requests: 20 s.
pub const JOURNAL_WAIT_MAX: Duration = Duration::from_secs(20);

/// Readers of the journal that wait at once: 64. Further ones are refused.
pub const JOURNAL_READERS_MAX: usize = 64;

/// How long a reader of the journal waits until it is known why a signature was refused: 10 s. It
/// takes milliseconds, but on a machine that is busy with a test's other programs.
pub const JOURNAL_EXPLANATION_TIME_MAX: Duration = Duration::from_secs(10);

/// Queues that have metrics of their own: 500, the first by account, region and name. The others are
/// summed up.
pub const METRICS_QUEUES_MAX: usize = 500;

/// Faults at once, spent ones included: 1,000. A further one is refused.
pub const FAULTS_MAX: usize = 1_000;

/// Any text of a fault (a name, a part of a body, a message), in bytes: 1 KiB.
pub const FAULT_TEXT_BYTES_MAX: usize = 1_024;

/// How long the faults of a call may delay it together, and over how long a slow body may come:
/// 300 s, which is longer than any client's patience.
pub const FAULT_TIME_MAX: Duration = Duration::from_secs(300);
