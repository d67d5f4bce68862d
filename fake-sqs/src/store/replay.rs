//! A history, run again for the sake of its answers.

use std::path::Path;

use super::DataDirError;
use super::database::Database;
use super::directory::Directory;

/// What came of a [`replay`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Replay {
    /// How many commands were repeated, and moments at which time gave messages to polls.
    pub repeated: u64,
    /// How many of them gave other answers than they did the first time.
    pub differences: u64,
    /// Where it began.
    pub from: ReplayedFrom,
}

/// Where a [`replay`] began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayedFrom {
    /// With nothing: the log goes back to the first start, or to the last reset.
    Beginning,
    /// With the last snapshot. What happened before it is not kept.
    Snapshot,
}

/// Runs the history in a data directory again, and tells in a line each what is answered otherwise
/// than it was. Nothing in the directory changes, and no server may be using it.
///
/// Answers are compared by their digests: which one is another is known, and not how.
///
/// # Errors
///
/// [`DataDirError`] when the directory holds no history that can be read.
///
/// # Example
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use fake_sqs::{FakeSqs, ReplayedFrom};
///
/// let directory = std::env::temp_dir().join(format!("fake-sqs-{}", std::process::id()));
/// let server = FakeSqs::builder().data_dir(&directory).start().await?;
/// drop(server);
///
/// let replay = fake_sqs::replay(&directory, |difference| println!("{difference}"))?;
/// assert_eq!(replay.differences, 0);
/// assert_eq!(replay.from, ReplayedFrom::Beginning);
/// # std::fs::remove_dir_all(&directory)?;
/// # Ok(())
/// # }
/// ```
pub fn replay(directory: &Path, mut tell: impl FnMut(&str)) -> Result<Replay, DataDirError> {
    let database = Database::open(Directory::existing(directory)?)?;
    let stored = database.read(|difference| {
        tell(&format!(
            "at {}: {}: the answer was {}, and is {}",
            difference.at, difference.what, difference.then, difference.now
        ));
    })?;
    let stored = stored.ok_or_else(|| DataDirError::Empty(directory.to_owned()))?;
    Ok(Replay {
        repeated: stored.history.repeated,
        differences: stored.differences,
        from: if database.has_snapshot()? {
            ReplayedFrom::Snapshot
        } else {
            ReplayedFrom::Beginning
        },
    })
}
