//! The queues that are there from the start.

use sqs::{Error, ErrorCode, Request};
use sqs_engine::{Command, ControlAction, Effect, Outcome, QueueAddress};

use super::{Driver, State};
use crate::declare::Declared;

impl Driver {
    /// Makes the declared queues. One that is there already, because a data directory brought it
    /// back, is left as it is, with its messages.
    pub(crate) fn declare(&self) {
        let mut state = self.lock();
        self.make_declared(&mut state, |_| true);
        self.settle(&mut state);
    }

    /// Makes those of the declared queues. [`settle`](Self::settle) afterwards.
    pub(super) fn make_declared(
        &self,
        state: &mut State,
        included: impl Fn(&QueueAddress) -> bool,
    ) {
        let declared = self.setup.declared.iter();
        let included = declared.filter(|declared| included(&declared.address));
        let made: Vec<&Declared> = included
            .filter(|declared| self.make(state, declared))
            .collect();
        // What names another queue comes when all are there.
        for declared in &made {
            if let Some(redrive) = &declared.redrive {
                self.do_declared(state, declared, redrive.clone().into());
            }
        }
        for declared in &made {
            for send in &declared.sends {
                self.do_declared(state, declared, send.clone().into());
            }
        }
    }

    /// Makes a queue; false if it was there already.
    fn make(&self, state: &mut State, declared: &Declared) -> bool {
        let QueueAddress {
            account,
            region,
            name,
        } = &declared.address;
        let exists = state
            .engine
            .inspect()
            .queue(account, region, name)
            .is_some();
        if !exists {
            let free = Command::Control {
                queue: declared.address.clone(),
                action: ControlAction::FreeName,
            };
            let _freed = self.perform(state, free);
        }
        let answer = self.call_declared(state, declared, declared.create.clone().into());
        let queue = &declared.address;
        match answer {
            Ok(()) => !exists,
            Err(error) if exists && error.code() == ErrorCode::QueueNameExists => {
                tracing::warn!(
                    %queue,
                    "a declared queue is there already and differs ({error}); it is left as it \
                     is, and POST /_fake/reset makes it as it is declared"
                );
                false
            }
            Err(error) => {
                tracing::error!(%queue, %error, "a declared queue cannot be made");
                false
            }
        }
    }

    fn do_declared(&self, state: &mut State, declared: &Declared, request: Request) {
        if let Err(error) = self.call_declared(state, declared, request) {
            let queue = &declared.address;
            tracing::error!(%queue, %error, "a part of a declared queue cannot be made");
        }
    }

    fn call_declared(
        &self,
        state: &mut State,
        declared: &Declared,
        request: Request,
    ) -> Result<(), Error> {
        let context = declared.context();
        match self.perform(state, Command::Handle { context, request }) {
            Effect::Call(Outcome::Done(answer)) => answer.map(|_| ()),
            // No declaration receives, and only a call was given.
            Effect::Call(Outcome::Waiting(_)) | Effect::Control(_) | Effect::Done => Ok(()),
        }
    }
}
