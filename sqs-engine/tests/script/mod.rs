//! A small language for what a queue does.
//!
//! ```text
//! == a delay holds the message back
//! queue
//! send A delay=5
//! tick 4s
//! receive -> none
//! tick 1s
//! receive -> A
//! ```
//!
//! A line `== title` begins a scenario with a fresh engine at time 1,000,000 s; `#` begins a
//! comment. Every other line is a step: a word, what it needs, and after `->` what must come of it.
//! A step without `->` must succeed. `-> error Code` and `-> error Code: text` expect a refusal,
//! with exactly that text if there is one.
//!
//! | step | what it does | gives |
//! |---|---|---|
//! | `queue [name] [Attribute=value …]` | creates a queue (`q` if not named) and uses it from here on | `ok` |
//! | `use name` | uses another queue, named or by its URL | `ok` |
//! | `delete-queue` | | `ok` |
//! | `set Attribute=value …` | SetQueueAttributes | `ok` |
//! | `redrive D 3` | sends what was received 3 times to the dead-letter queue D | `ok` |
//! | `get Attribute …` | GetQueueAttributes | `Attribute=value …`, or `none` |
//! | `counts` | the three counters | `visible=0 delayed=0 in-flight=0` |
//! | `send A [delay=5] [group=g] [dedup=d] [size=n] [fill=x] [trace=t] [name:Type=value …]` | sends a message known as A, whose body is `A`, or `size` bytes of `fill` | `ok`, or `B repeats A` for a repetition |
//! | `send-batch A B delay=5 C …` | the same as one batch; options are those of the names before them | `ok`, or `B repeats A` and `C failed: text` |
//! | `receive [max=1] [wait=0] [visibility=30] [system=All] [attributes=All] [attempt=id] [times=1]` | as often as `times` says | the messages by name, or `none` |
//! | `poll P …` | the same options; must wait, and is then known as P | `ok` |
//! | `answer P` | what poll P got so far | as receive, or `waiting` |
//! | `cancel P` | its client hangs up | `ok` |
//! | `show A [system] [attributes] [md5]` | what the last receive of A gave besides the body | `name=value …`, or `none` |
//! | `delete A[.n] …` | with the handle of A's last receive, or of the n-th | `ok` |
//! | `change A[.n] 10` | ChangeMessageVisibility | `ok` |
//! | `purge` | | `ok` |
//! | `move D [to=q] [rate=1]` | StartMessageMoveTask: empties the dead-letter queue D | `ok` |
//! | `tasks D` | ListMessageMoveTasks, up to 10 | `RUNNING 1/3` for each: moved, and to move at the start; or `none` |
//! | `stop-task` | CancelMessageMoveTask of the task started last | how many it moved |
//! | `tag n` | TagQueue with `n` tags, `t1=x` to `tn=x` | `ok` |
//! | `permit n` | AddPermission `n` times, with labels `l1` to `ln` | `ok` |
//! | `policy {json}` | SetQueueAttributes with this Policy | `ok` |
//! | `next empty`, `next shuffled 7`, `next failing B C`, `next expired A[.n] …` | gives the calls of the next step a fault: the receive gives nothing; or in an order that follows from 7; these entries of the batch fail; these handles have expired | `ok` |
//! | `call Action {json}` | any operation | its answer as JSON, in which `"*"` fits any string |
//! | `as account [region]` | calls from there from here on | `ok` |
//! | `trace [header]` | calls with that `X-Amzn-Trace-Id` from here on, or without | `ok` |
//! | `relaxed` | begins the scenario again without the two 60-second rules | `ok` |
//! | `limit 3` | begins the scenario again with room for that many messages in flight | `ok` |
//! | `tick 1500ms`, `10s`, `5m`, `12h`, `14d` | lets time pass | `ok` |
//!
//! In JSON, in attributes and in what is expected `$A` is the handle of A's last receive, `$A.2`
//! that of the second, `$id.A` the id of the message that was sent as A, `$url` the URL of the queue
//! in use, `$task` the handle of the task started last, and `$arn.name` a queue's ARN. A value with
//! blanks stands in double quotes, one with double quotes in single ones. A message that comes back
//! with a new id is known by its body. `\n` in the text of a refusal is a line break. `A1..A3` is
//! short for `A1 A2 A3`.

mod parse;
mod shapes;
mod world;

use parse::Step;
use world::World;

/// Runs a script and panics with every step that went otherwise than it says.
pub(crate) fn run(file: &str, text: &str) {
    let failures = failures(file, text);
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
}

/// Runs a script, and gives a line for every step that went otherwise than it says.
pub(crate) fn failures(file: &str, text: &str) -> Vec<String> {
    let mut failures = Vec::new();
    let mut scenario = None;
    let mut steps = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(title) = line.strip_prefix("==") {
            scenario = Some((title.trim(), World::new()));
            continue;
        }
        let Some((title, world)) = &mut scenario else {
            panic!("{file}:{number}: a step before the first scenario (`== title`)");
        };
        let step = Step::parse(line).unwrap_or_else(|error| panic!("{file}:{number}: {error}"));
        steps += 1;
        if let Err(difference) = world.perform(&step) {
            failures.push(format!(
                "{file}:{number}: [{title}] {line}\n    {difference}"
            ));
        }
    }
    assert!(steps > 0, "{file} has no steps");
    failures
}
