//! Credentials that are kept while they can be used, and asked for anew before they end.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use sigv4::Credentials;
use tokio::sync::watch;

use super::{CredentialsError, Identity, ProvideCredentials, Provided};
use crate::client::random::Random;
use crate::client::trace;

/// Time for credentials to be had from a provider, which is a call or two of its own.
pub const PROVIDE_TIMEOUT: Duration = Duration::from_secs(30);
/// How long before their end credentials are asked for anew, unless they live less than twice as
/// long: then it is after half their life. Up to a fifth more is added at random.
pub const REFRESH_AHEAD: Duration = Duration::from_secs(5 * 60);
/// For how long at least credentials are used that were just had. A provider may hand out some
/// that have ended by the clock here; the service knows better which clock is right.
const LIFE_MIN: Duration = Duration::from_secs(60);
/// How long after a first failure the provider is left alone; it doubles with each one.
const BACK_OFF: Duration = Duration::from_secs(1);
/// How long at most the provider is left alone while the credentials in use still last.
const BACK_OFF_MAX: Duration = Duration::from_secs(60);
/// How often a call begins to wait again because what it waited for was dropped unfinished.
const WAITS: u32 = 3;

/// Gives calls somebody to sign as.
pub(in crate::client) struct Signers(Source);

enum Source {
    Fixed(Arc<Identity>),
    Provided(Arc<Cache>),
}

impl Signers {
    /// Credentials that do not end.
    pub(in crate::client) fn fixed(credentials: Credentials, region: &str, service: &str) -> Self {
        Self(Source::Fixed(Arc::new(Identity::new(
            credentials,
            region,
            service,
        ))))
    }

    /// Whatever a provider gives. It is asked when the first call is made.
    pub(in crate::client) fn provided(
        provider: Arc<dyn ProvideCredentials>,
        region: &str,
        service: &str,
        random: Random,
    ) -> Self {
        Self(Source::Provided(Arc::new(Cache {
            provider,
            region: region.to_owned(),
            service: service.to_owned(),
            random,
            state: Mutex::default(),
        })))
    }

    /// Whom to sign as now. To be asked for every attempt of a call.
    pub(in crate::client) async fn current(
        &self,
        now: SystemTime,
    ) -> Result<Arc<Identity>, CredentialsError> {
        match &self.0 {
            Source::Fixed(identity) => Ok(Arc::clone(identity)),
            Source::Provided(cache) => cache.current(now).await,
        }
    }

    /// Takes note that the service calls these credentials expired, whatever the clock says.
    /// Returns whether [`current`](Self::current) may give others now.
    pub(in crate::client) fn expire(&self, used: &Arc<Identity>) -> bool {
        match &self.0 {
            Source::Fixed(_) => false,
            Source::Provided(cache) => {
                cache.expire(used);
                true
            }
        }
    }
}

struct Cache {
    provider: Arc<dyn ProvideCredentials>,
    region: String,
    service: String,
    /// So that many programs that began together do not ask again together.
    random: Random,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    kept: Option<Kept>,
    /// Where the end of the refresh that is going on will be heard of.
    refreshing: Option<Outcome>,
    failure: Option<Failure>,
}

type Outcome = watch::Receiver<Option<Result<Arc<Identity>, CredentialsError>>>;

/// Credentials in use.
struct Kept {
    identity: Arc<Identity>,
    /// From when others are asked for, and when these are not used any more.
    life: Option<Life>,
    standing: Standing,
}

#[derive(Clone, Copy)]
struct Life {
    /// When they were had, by the clock at that time, which may since have been set.
    began: SystemTime,
    refresh_at: SystemTime,
    expires: SystemTime,
}

#[derive(PartialEq)]
enum Standing {
    Good,
    /// The service called them expired.
    Rejected,
}

/// What the last refreshes ended in, none of them well.
struct Failure {
    error: CredentialsError,
    at: SystemTime,
    count: u32,
}

enum Next {
    Done(Result<Arc<Identity>, CredentialsError>),
    Wait(Outcome),
}

impl Cache {
    async fn current(self: &Arc<Self>, now: SystemTime) -> Result<Arc<Identity>, CredentialsError> {
        for _ in 0..WAITS {
            let (next, refresh) = self.next(now);
            if let Some(refresh) = refresh {
                // A task of its own goes on when the call that began it is dropped.
                tokio::spawn(refresh.run(now));
            }
            let mut outcome = match next {
                Next::Done(result) => return result,
                Next::Wait(outcome) => outcome,
            };
            if let Ok(result) = outcome.wait_for(Option::is_some).await
                && let Some(result) = result.clone()
            {
                return result;
            }
        }
        Err(CredentialsError::new(
            "asking for credentials broke off: the provider panicked, or the runtime that it ran \
             in was shut down",
        ))
    }

    /// What a call has to do now, and a refresh to begin, if it is time for one. It is begun by
    /// the caller, after the lock is free: a runtime that is shut down drops it at once.
    fn next(self: &Arc<Self>, now: SystemTime) -> (Next, Option<Refresh>) {
        let mut state = self.lock();
        if let Some(kept) = &state.kept
            && kept.is_usable(now)
        {
            let next = Next::Done(Ok(Arc::clone(&kept.identity)));
            let begins = kept.is_due(now)
                && state.refreshing.is_none()
                && state.held_back(now, BACK_OFF_MAX).is_none();
            return (next, begins.then(|| self.begin(&mut state).1));
        }
        if let Some(outcome) = &state.refreshing {
            return (Next::Wait(outcome.clone()), None);
        }
        if let Some(error) = state.held_back(now, BACK_OFF) {
            return (Next::Done(Err(error.clone())), None);
        }
        let (outcome, refresh) = self.begin(&mut state);
        (Next::Wait(outcome), Some(refresh))
    }

    fn begin(self: &Arc<Self>, state: &mut State) -> (Outcome, Refresh) {
        let (sender, outcome) = watch::channel(None);
        state.refreshing = Some(outcome.clone());
        let refresh = Refresh {
            cache: Arc::clone(self),
            sender,
        };
        (outcome, refresh)
    }

    /// Keeps what a refresh that began at `now` ended in.
    fn settle(
        &self,
        provided: Result<Provided, CredentialsError>,
        now: SystemTime,
    ) -> Result<Arc<Identity>, CredentialsError> {
        trace::provided(&provided);
        let early = self.random.fraction();
        let mut state = self.lock();
        match provided {
            Ok(provided) => {
                let identity = Arc::new(Identity::new(
                    provided.credentials,
                    &self.region,
                    &self.service,
                ));
                state.failure = None;
                state.kept = Some(Kept {
                    identity: Arc::clone(&identity),
                    life: provided
                        .expires
                        .map(|expires| Life::new(expires, now, early)),
                    standing: Standing::Good,
                });
                Ok(identity)
            }
            Err(error) => {
                let count = state.failure.as_ref().map_or(0, |failure| failure.count);
                state.failure = Some(Failure {
                    error: error.clone(),
                    at: now,
                    count: count.saturating_add(1),
                });
                Err(error)
            }
        }
    }

    fn expire(&self, used: &Arc<Identity>) {
        if let Some(kept) = &mut self.lock().kept
            && Arc::ptr_eq(&kept.identity, used)
        {
            kept.standing = Standing::Rejected;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic is done under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The last failure, if it is too early to ask again. A time before the failure's does not
    /// count: then the clock was set.
    fn held_back(&self, now: SystemTime, limit: Duration) -> Option<&CredentialsError> {
        let failure = self.failure.as_ref()?;
        let since = now.duration_since(failure.at).ok()?;
        (since < failure.back_off().min(limit)).then_some(&failure.error)
    }
}

impl Kept {
    fn is_usable(&self, now: SystemTime) -> bool {
        self.standing == Standing::Good && self.life.is_none_or(|life| life.lasts(now))
    }

    fn is_due(&self, now: SystemTime) -> bool {
        self.life.is_some_and(|life| now >= life.refresh_at)
    }
}

impl Life {
    /// The last argument, from 0 to below 1, is how much of the random part is taken.
    fn new(expires: SystemTime, now: SystemTime, early: f64) -> Self {
        let life = expires
            .duration_since(now)
            .unwrap_or_default()
            .max(LIFE_MIN);
        let ends = now.checked_add(life).unwrap_or(expires);
        let ahead = REFRESH_AHEAD.min(life / 2);
        let ahead = ahead + (ahead / 5).mul_f64(early.clamp(0.0, 1.0));
        Self {
            began: now,
            refresh_at: ends.checked_sub(ahead).unwrap_or(now),
            expires,
        }
    }

    fn lasts(&self, now: SystemTime) -> bool {
        let were_just_had = || {
            let age = now.duration_since(self.began);
            age.is_ok_and(|age| age < LIFE_MIN)
        };
        now < self.expires || were_just_had()
    }
}

impl Failure {
    fn back_off(&self) -> Duration {
        BACK_OFF
            .saturating_mul(2_u32.saturating_pow(self.count.saturating_sub(1)))
            .min(BACK_OFF_MAX)
    }
}

/// One refresh. If it is dropped before its end, those that wait hear of that, and the next
/// begins another.
struct Refresh {
    cache: Arc<Cache>,
    sender: watch::Sender<Option<Result<Arc<Identity>, CredentialsError>>>,
}

impl Refresh {
    async fn run(self, now: SystemTime) {
        let provide = self.cache.provider.provide();
        let provided = tokio::time::timeout(PROVIDE_TIMEOUT, provide)
            .await
            .unwrap_or_else(|_| {
                Err(CredentialsError::new(format!(
                    "no credentials within {PROVIDE_TIMEOUT:?}"
                )))
            });
        let settled = self.cache.settle(provided, now);
        self.sender.send_replace(Some(settled));
    }
}

impl Drop for Refresh {
    fn drop(&mut self) {
        self.cache.lock().refreshing = None;
    }
}

#[cfg(test)]
mod tests;
