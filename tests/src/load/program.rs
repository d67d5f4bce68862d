//! The program around the load: arguments in, text and an exit status out.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use tokio::runtime;

use super::arguments::{Arguments, Form, Order, Plan};
use super::compare;
use super::floor;
use super::plain::Floor;
use super::report::{Report, counted};
use super::signals::interrupted;

/// Descriptors to ask the system for: connections of both sides, and some.
const DESCRIPTORS: u64 = 24_000;

/// Runs the program to its end.
#[must_use]
pub fn run() -> ExitCode {
    let order = Arguments::try_parse().and_then(Arguments::order);
    let order = match order {
        Ok(order) => order,
        Err(error) => {
            // Help is no error. A closed output is nobody's fault.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    // With fewer, connecting says what is wrong.
    let _ = rlimit::increase_nofile_limit(DESCRIPTORS);
    let form = order.form();
    let result = match order {
        Order::Floor => floor::run()
            .map_err(|error| error.to_string())
            .map(|()| true),
        Order::Run(plan) => block_on(run_plan(&plan)),
        Order::Compare(form, parts) => {
            block_on(async { compare::run(form, &parts, interrupted(1)?).await })
        }
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            complain(&error);
            // Whoever reads JSON is to find some, whatever happens.
            if form == Form::Json {
                say(&serde_json::json!({"error": error}).to_string());
            }
            ExitCode::FAILURE
        }
    }
}

fn block_on(work: impl Future<Output = Result<bool, String>>) -> Result<bool, String> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| error.to_string())?.block_on(work)
}

/// Whether all is well.
async fn run_plan(plan: &Plan) -> Result<bool, String> {
    let (stop, at_once) = (interrupted(1)?, interrupted(2)?);
    let report = tokio::select! {
        report = plan.run(Floor::Beside, stop) => report?,
        () = at_once => return Err("interrupted again: queues may be left".to_owned()),
    };
    let complaints = complaints(&report);
    for complaint in &complaints {
        complain(complaint);
    }
    say(&match plan.form {
        Form::Text => report.to_string(),
        Form::Json => report.json().to_string(),
    });
    Ok(complaints.is_empty())
}

/// What is wrong with a run, a line each.
fn complaints(report: &Report) -> Vec<String> {
    let (count, faults) = &report.faults;
    let mut lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    if *count > faults.len() as u64 {
        lines.push(format!("{count} faults in all"));
    }
    let tally = &report.outcome.tally;
    if tally.early > 0 {
        let polls = counted(tally.early, "poll");
        lines.push(format!("{polls} ended early, with nothing"));
    }
    if tally.unwoken > 0 {
        let messages = counted(tally.unwoken, "message");
        lines.push(format!("{messages} woke no poll"));
    }
    // All that failed then failed by that.
    if let Some(gone) = &report.gone {
        lines.push(gone.to_string());
        return lines;
    }
    let error = tally.last_error.as_deref().unwrap_or("no error was seen");
    if tally.requests.count() == 0 {
        lines.push(format!(
            "no request that began in the time measured succeeded; the last error: {error}"
        ));
    } else if report.has_polls() && tally.wakes.count() == 0 {
        lines.push("no poll was woken in the time measured".to_owned());
    } else if tally.gave_up > 0 {
        lines.push(format!(
            "{} gave up after too many failures in a row; the last error: {error}",
            counted(tally.gave_up, "connection")
        ));
    }
    lines
}

/// Prints on standard output; whoever closed it needs nothing more.
pub(super) fn say(text: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// Prints on standard error.
pub(super) fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "load: {text}");
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use sqs::Operation;

    use super::*;
    use crate::load::crew::Outcome;
    use crate::load::mix::Mix;

    #[test]
    fn polls_that_nothing_wakes_are_no_success() {
        let mut report = Report::new(Mix::Idle, Outcome::default());
        let tally = &mut report.outcome.tally;
        tally.succeeded(Operation::SendMessage, Duration::from_millis(1));
        tally.unwoken = 1;
        let none = "no poll was woken in the time measured";
        assert_eq!(complaints(&report), ["1 message woke no poll", none]);
        report.outcome.tally.wakes.record(Duration::from_millis(1));
        assert_eq!(complaints(&report), ["1 message woke no poll"]);
        report.outcome.tally.unwoken = 0;
        assert_eq!(complaints(&report), Vec::<String>::new());
    }
}
