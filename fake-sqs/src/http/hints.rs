//! What the log says about AWS's answers that often have a simple reason.

use sqs::{Error, ErrorCode, Response};
use sqs_engine::Context;
use tracing::warn;

use super::protocol::{Asked, Named};
use crate::AccountId;
use crate::driver::{Answer, Driver, Place};

/// Logs what may have been meant, for an error that a call ended in.
pub(crate) fn log(driver: &Driver, context: &Context, asked: &Asked<'_>, error: &Error) {
    let code = error.code();
    if code == ErrorCode::QueueDoesNotExist {
        if let Some(hint) = elsewhere(driver, context, asked) {
            warn!("{hint}");
        }
    } else if code == ErrorCode::QueueDeletedRecently || code == ErrorCode::PurgeQueueInProgress {
        warn!(
            "{code}: AWS's 60-second rule; a server that is started with --relaxed (in a Rust test, \
             with Rules::Relaxed) does without it"
        );
    }
}

/// Logs that a handle was changed on its way, for a call that failed for a handle or with one.
pub(crate) fn log_handle(asked: &Asked<'_>, answer: &Answer) {
    let has_failed = match answer {
        Err(_) => true,
        Ok(Response::ChangeMessageVisibilityBatch(output)) => !output.failed.is_empty(),
        Ok(Response::DeleteMessageBatch(output)) => !output.failed.is_empty(),
        // No other answer that is a success tells of a handle.
        Ok(_) => false,
    };
    if !has_failed {
        return;
    }
    if let Some(parameter) = asked.handle_with_blank() {
        warn!(
            "{parameter} has a blank where a + was: in a form and in a URL a + stands for a blank, \
             so it is sent as %2B (curl does it with --data-urlencode)"
        );
    }
}

/// Where there is a queue of the name that was asked for, if that is not where it was looked for.
fn elsewhere(driver: &Driver, context: &Context, asked: &Asked<'_>) -> Option<String> {
    let named = asked.named()?;
    let (account, name) = place(&named, context)?;
    let region = context.region.as_str();
    let found = driver.nearest(name, &Place::new(account, region))?;
    let asked_account = match account.parse::<AccountId>() {
        Ok(account) => format!("account {account}"),
        Err(_) => "something that is no account".to_owned(),
    };
    let Place {
        account: owner,
        region: home,
    } = &found;
    let told = match (owner == account, home == region) {
        (true, true) => format!(
            "{name} exists in {asked_account}; no policy of it lets account {} look for it",
            context.account
        ),
        (true, false) => format!(
            "{name} exists in {home}; this call was signed for {region}, and each region has its \
             own queues"
        ),
        (false, true) => {
            format!("{name} exists in account {owner}; this call asked {asked_account} for it")
        }
        (false, false) => format!(
            "{name} exists in {home} of account {owner}; this call was signed for {region} and \
             asked {asked_account} for it"
        ),
    };
    Some(told)
}

/// The account that was asked, and the queue's name.
fn place<'a>(named: &'a Named, context: &'a Context) -> Option<(&'a str, &'a str)> {
    match (&named.queue_url, &named.queue_name) {
        (Some(url), _) => Some(match url.rsplit_once('/') {
            Some((rest, name)) => {
                let account = rest.rsplit_once('/').map_or(rest, |(_, account)| account);
                (account, name)
            }
            None => (&context.account, url),
        }),
        (None, Some(name)) => Some((named.owner.as_ref().unwrap_or(&context.account), name)),
        (None, None) => None,
    }
}
