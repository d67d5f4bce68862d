//! All connections of a run, on a thread for each core, and the clock that ends them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc as channel;
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime;
use tokio::sync::mpsc;
use tokio::task::LocalSet;

use super::mix::{Amount, Mix, Task, Wakes};
use super::processor::Process;
use super::session::Session;
use super::tally::{Tally, Window};
use super::worker::{ANSWER_TIME_MAX, Pace, Worker};
use crate::clock;

/// How long a run may last after its window, besides the time of an answer: beyond that it is broken
/// off.
const LATE_MAX: Duration = Duration::from_secs(10);

/// Requests that may wait for one connection in an open loop.
const WAITING_MAX: usize = 4_096;

/// In an open loop, requests are released in ticks, those that are due together: to wake for each of tens of
/// thousands a second would take more of the processor than the requests.
const TICK: Duration = Duration::from_micros(200);

/// How long polls are woken after the quiet time of [`Mix::Idle`], and how long it takes from one to
/// the next.
const WAKE_TIME: Duration = Duration::from_secs(4);
const WAKE_PAUSE: Duration = Duration::from_millis(20);

/// A run of one mix.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// What is done.
    pub job: Job,
    /// By how many connections.
    pub connections: u16,
    /// How long nothing is measured yet.
    pub warmup: Duration,
    /// How long it is measured then.
    pub measured: Duration,
    /// Requests a second of all connections together, which begin whether or not the ones before have
    /// their answers; none: each connection begins one after the other.
    pub rate: Option<f64>,
    /// How long an answer may take.
    pub answer_time_max: Duration,
}

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// A mix.
    Mix(Mix),
    /// Each connection sends that many messages, in batches.
    Fill(u32),
    /// What is left is received and deleted.
    Drain,
}

impl Run {
    /// A closed loop.
    #[must_use]
    pub fn new(job: Job, connections: u16, warmup: Duration, measured: Duration) -> Self {
        Self {
            job,
            connections,
            warmup,
            measured,
            rate: None,
            answer_time_max: ANSWER_TIME_MAX,
        }
    }
}

/// What a run came to.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What was counted.
    pub tally: Tally,
    /// How long was measured.
    pub measured: Duration,
    /// How long of that processor time was taken: all, but for [`Mix::Idle`], where it ends before polls are
    /// woken.
    pub watched: Duration,
    /// The processor time of this process in it.
    pub client_time: Option<Duration>,
    /// The server's, of all its processes together.
    pub server_time: Option<Duration>,
    /// The names of these.
    pub servers: Vec<String>,
    /// Requests a second that were asked for, if there was a rate.
    pub rate: Option<f64>,
    /// Polls that waited when the quiet time began and when it ended.
    pub waiting: (usize, usize),
    /// How much of what was measured had passed when the last request was answered.
    pub answered: Duration,
}

impl Outcome {
    /// Successful requests a second.
    #[must_use]
    pub fn requests_per_second(&self) -> f64 {
        per_second(self.tally.answered, self.measured)
    }

    /// The same of the time until the last request was answered: a server that went away then is not measured
    /// by the time after it.
    #[must_use]
    pub fn until_answered(mut self) -> Self {
        self.measured = self.measured.min(self.answered);
        self
    }

    /// Messages a second that went the whole way.
    #[must_use]
    pub fn messages_per_second(&self) -> f64 {
        per_second(self.tally.messages, self.measured)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a count far below 2^52")]
fn per_second(count: u64, time: Duration) -> f64 {
    if time.is_zero() {
        return 0.0;
    }
    count as f64 / time.as_secs_f64()
}

/// The processor times of processes at one moment, of those that tell.
struct Times(Vec<(Process, Duration)>);

impl Times {
    fn of(processes: &[Process]) -> Self {
        let times = processes
            .iter()
            .filter_map(|process| Some((*process, process.time()?)));
        Self(times.collect())
    }

    /// What they took since then; none when none tells.
    fn since(&self) -> Option<Duration> {
        let times = self.0.iter();
        times
            .filter_map(|(process, before)| Some(process.time()?.saturating_sub(*before)))
            .reduce(|one, other| one + other)
    }
}

/// Tells the workers to stop when the run is given up.
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Run {
    /// Does it. Dropping the future ends it early.
    ///
    /// # Errors
    ///
    /// When the system gives no thread, or the connections do not end.
    pub async fn run(
        &self,
        session: &Arc<Session>,
        server: Option<Process>,
    ) -> Result<Outcome, String> {
        self.run_beside(session, server.as_slice()).await
    }

    /// The same with a server of several processes.
    ///
    /// # Errors
    ///
    /// When the system gives no thread, or the connections do not end.
    pub async fn run_beside(
        &self,
        session: &Arc<Session>,
        servers: &[Process],
    ) -> Result<Outcome, String> {
        let stop = Stop(Arc::default());
        let (begin, quiet) = (clock::moment() + self.warmup, self.measured);
        let end = match self.job {
            Job::Mix(Mix::Idle) => begin + quiet + WAKE_TIME,
            Job::Mix(_) | Job::Fill(_) | Job::Drain => begin + quiet,
        };
        let window = Window { begin, end };
        let wakes = Arc::new(self.wakes(begin + quiet));
        let (given, mut tallies) = mpsc::channel(1);
        let threads = self.start(session, window, &wakes, &stop.0, &given)?;
        drop(given);

        tokio::time::sleep_until(begin.into()).await;
        let (client, served) = (Times::of(&[Process::own()]), Times::of(servers));
        let waiting = wakes.waiting();
        let (mut tally, mut running) = (Tally::default(), threads);
        let quiet_end = begin + quiet;
        // When all connections are done, or gave up, the rest of the time is not waited for.
        while running > 0 {
            match tokio::time::timeout_at(quiet_end.into(), tallies.recv()).await {
                Ok(Some(one)) => {
                    tally.add(one);
                    running -= 1;
                }
                Ok(None) | Err(_) => break,
            }
        }
        let watched = clock::moment()
            .min(quiet_end)
            .saturating_duration_since(begin);
        let (client_time, server_time) = (client.since(), served.since());
        let waiting = (waiting, wakes.waiting());
        let last = end + self.answer_time_max + LATE_MAX;
        while running > 0 {
            match tokio::time::timeout_at(last.into(), tallies.recv()).await {
                Ok(Some(one)) => {
                    tally.add(one);
                    running -= 1;
                }
                Ok(None) => return Err("a thread of the load ended before its time".to_owned()),
                Err(_) => return Err(format!("connections did not end within {LATE_MAX:?}")),
            }
        }
        let answered = tally.last_success.unwrap_or(begin);
        Ok(Outcome {
            answered: answered.saturating_duration_since(begin),
            tally,
            measured: watched + (end - quiet_end),
            watched,
            client_time,
            server_time,
            servers: servers.iter().map(|server| server.name()).collect(),
            rate: self.rate,
            waiting,
        })
    }

    fn wakes(&self, quiet_end: Instant) -> Wakes {
        match self.job {
            Job::Mix(Mix::Idle) => Wakes::new(self.connections, quiet_end, WAKE_PAUSE),
            Job::Mix(_) | Job::Fill(_) | Job::Drain => {
                Wakes::new(self.connections, clock::moment(), Duration::ZERO)
            }
        }
    }

    /// Starts the threads; how many tell what they counted.
    fn start(
        &self,
        session: &Arc<Session>,
        window: Window,
        wakes: &Arc<Wakes>,
        stop: &Arc<AtomicBool>,
        given: &mpsc::Sender<Tally>,
    ) -> Result<usize, String> {
        let (mut releases, paces) = self.paces();
        let mut workers: Vec<(Task, Worker)> = Vec::new();
        for (index, pace) in (0..self.connections).zip(paces) {
            let (session, stop) = (Arc::clone(session), Arc::clone(stop));
            let worker = Worker::new(index, session, window, pace, stop)
                .with_answer_time_max(self.answer_time_max);
            workers.push((self.task(index, wakes), worker));
        }
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads = cores.min(workers.len()).max(1);
        let mut shares: Vec<Vec<(Task, Worker)>> = (0..threads).map(|_| Vec::new()).collect();
        for (index, worker) in workers.into_iter().enumerate() {
            shares[index % threads].push(worker);
        }
        for share in shares {
            let given = given.clone();
            spawn("load", move || {
                // Nobody listens after the run was given up.
                let _ = given.blocking_send(work(share));
            })?;
        }
        if let Some(rate) = self.rate {
            releases.truncate(usize::from(self.connections));
            let stop = Arc::clone(stop);
            let begin = clock::moment();
            let given = given.clone();
            spawn("pace", move || {
                let tally = Tally {
                    missed: release(&releases, begin, window, rate, &stop),
                    ..Tally::default()
                };
                // Nobody listens after the run was given up.
                let _ = given.blocking_send(tally);
            })?;
        }
        Ok(threads + usize::from(self.rate.is_some()))
    }

    fn paces(&self) -> (Vec<mpsc::Sender<Instant>>, Vec<Pace>) {
        let connections = 0..self.connections;
        match self.rate {
            None => (Vec::new(), connections.map(|_| Pace::Closed).collect()),
            Some(_) => connections
                .map(|_| {
                    let (release, released) = mpsc::channel(WAITING_MAX);
                    (release, Pace::Open(released))
                })
                .unzip(),
        }
    }

    fn task(&self, index: u16, wakes: &Arc<Wakes>) -> Task {
        match self.job {
            Job::Mix(Mix::Send) => Task::Send(Amount::One),
            Job::Mix(Mix::Cycle | Mix::Fifo) => Task::Cycle,
            Job::Mix(Mix::Batch) => Task::Batch,
            Job::Mix(Mix::Poll) if index < self.connections / 2 => Task::Wake(Arc::clone(wakes)),
            Job::Mix(Mix::Idle) if index == 0 => Task::Wake(Arc::clone(wakes)),
            Job::Mix(Mix::Poll | Mix::Idle) => Task::Poll(Arc::clone(wakes)),
            Job::Fill(messages) => Task::Send(Amount::Tens(messages)),
            Job::Drain => Task::Drain(self.connections),
        }
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let thread = thread::Builder::new().name(name.to_owned()).spawn(work);
    thread
        .map(drop)
        .map_err(|error| format!("the system gives no thread: {error}"))
}

/// One thread's connections, to their end.
fn work(share: Vec<(Task, Worker)>) -> Tally {
    let mut sum = Tally::default();
    let runtime = match runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            sum.failed("(no runtime)", 1);
            sum.last_error = Some(error.to_string());
            return sum;
        }
    };
    let local = LocalSet::new();
    let tasks: Vec<_> = share
        .into_iter()
        .map(|(task, worker)| local.spawn_local(task.run(worker)))
        .collect();
    local.block_on(&runtime, async {
        for task in tasks {
            match task.await {
                Ok(tally) => sum.add(tally),
                Err(_panicked) => sum.failed("(panic of the load)", 1),
            }
        }
    });
    sum
}

/// Releases requests at a steady rate, to one connection after the other. A request's time begins with the tick that
/// was planned for it, whatever its connection, or this thread, is doing: a stall of the machine is the requests'.
/// Waiting on a channel that nobody sends on is the finest timer that there is without spinning. How many of those that
/// are measured found no room.
fn release(
    releases: &[mpsc::Sender<Instant>],
    begin: Instant,
    window: Window,
    rate: f64,
    stop: &AtomicBool,
) -> u64 {
    let mut missed = 0;
    let (_silent, never) = channel::channel::<()>();
    for (count, release) in (0_u32..).zip(releases.iter().cycle()) {
        let tick = begin + tick_of(Duration::from_secs_f64(f64::from(count) / rate));
        loop {
            let left = tick.min(window.end) - clock::moment();
            if left.is_zero() || stop.load(Ordering::Relaxed) {
                break;
            }
            let _ = never.recv_timeout(left);
        }
        if tick >= window.end || stop.load(Ordering::Relaxed) {
            break;
        }
        // A connection that has so many before it is not waited for.
        if release.try_send(tick).is_err() {
            missed += u64::from(window.holds(tick));
            if releases.iter().all(mpsc::Sender::is_closed) {
                break;
            }
        }
    }
    missed
}

/// The tick at which something is released that is due after that time.
fn tick_of(due: Duration) -> Duration {
    let nanos = due.as_nanos().next_multiple_of(TICK.as_nanos());
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_begins_when_it_was_planned_however_late_it_is_released() {
        let (release_one, mut one) = mpsc::channel(WAITING_MAX);
        let (release_other, mut other) = mpsc::channel(WAITING_MAX);
        let now = clock::moment();
        // As after a stall of three seconds.
        let begin = now - Duration::from_secs(3);
        let end = now + Duration::from_secs(3_600);
        let window = Window { begin, end };
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            release(&[release_one, release_other], begin, window, 4.0, &stopped);
        });
        for count in 0..6 {
            let planned = begin + Duration::from_millis(count * 500);
            assert_eq!(one.blocking_recv(), Some(planned));
            let planned = planned + Duration::from_millis(250);
            assert_eq!(other.blocking_recv(), Some(planned));
        }
        stop.store(true, Ordering::Relaxed);
        thread.join().expect("it ends");
    }

    #[test]
    fn what_finds_no_room_is_counted() {
        let (sender, mut full) = mpsc::channel(2);
        let end = clock::moment();
        // Ten seconds that are over, of which nine are measured.
        let window = Window {
            begin: end - Duration::from_secs(9),
            end,
        };
        let begin = end - Duration::from_secs(10);
        let stop = AtomicBool::new(false);
        let missed = release(std::slice::from_ref(&sender), begin, window, 1.0, &stop);
        assert_eq!(missed, 8, "there is room for two, one of the warm-up");
        full.close();
        assert_eq!(
            release(std::slice::from_ref(&sender), begin, window, 1.0, &stop),
            0
        );
    }

    #[test]
    fn what_is_due_together_has_one_tick_which_is_never_early() {
        let micros = Duration::from_micros;
        for (due, tick) in [(0, 0), (1, 200), (199, 200), (200, 200), (201, 400)] {
            assert_eq!(tick_of(micros(due)), micros(tick));
        }
    }
}
