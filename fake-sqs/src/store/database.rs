//! The state in SQLite: a snapshot, and the records after it.
//!
//! | table | what |
//! |---|---|
//! | `log` | what was committed at once: records, a line of JSON each |
//! | `snapshot` | a snapshot that is whole: the last row of the log that is in it, and the clock |
//! | `part` | the parts of snapshots, in order |
//!
//! What counts is the newest row of `snapshot`, its parts, and the rows of the log after it.
//! Anything else is left over and is swept away a little at a time.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};
use sqs_engine::{Command, Restore};

use super::history::{Difference, History};
use super::record::Record;
use super::{DataDirError, directory::Directory};
use crate::clock::ClockSetting;

/// An open database, in its directory.
///
/// The connection is closed before the directory is given back.
pub(super) struct Database {
    connection: Connection,
    directory: Directory,
    /// The most pages that it may have; 0 for no limit.
    #[cfg(test)]
    pub(super) room: std::sync::Arc<std::sync::atomic::AtomicU32>,
}

/// What is in a database.
pub(super) struct Stored {
    pub(super) history: History,
    pub(super) differences: u64,
    pub(super) size: Size,
}

/// How much there is to be read at a start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    /// Of the snapshot, in bytes.
    pub(super) snapshot: u64,
    /// Of the records after it, in bytes.
    pub(super) log: u64,
    /// The last row of the log.
    pub(super) last_row: i64,
}

/// How much is swept away in one transaction.
const PARTS_SWEPT: i64 = 2;
const ROWS_SWEPT: i64 = 500;

impl Database {
    pub(super) fn open(directory: Directory) -> Result<Self, DataDirError> {
        let connection = directory
            .connect()
            .map_err(|error| refused(&directory, &error))?;
        Ok(Self {
            connection,
            directory,
            #[cfg(test)]
            room: std::sync::Arc::default(),
        })
    }

    /// Repeats what is written down, from the snapshot on; nothing if there is nothing. Each
    /// difference is told.
    pub(super) fn read(
        &self,
        mut tell: impl FnMut(&Difference),
    ) -> Result<Option<Stored>, DataDirError> {
        let mut size = Size::default();
        let from = self.snapshot(&mut size)?;
        let (mut history, after) = from.unwrap_or_else(|| (History::new(), 0));
        let whole = after == 0;
        size.last_row = after;
        let mut differences = 0;
        let mut begun = !whole;
        let mut rows = self
            .connection
            .prepare("SELECT id, records FROM log WHERE id > ?1 ORDER BY id")
            .map_err(|error| self.refused(&error))?;
        let mut rows = rows.query([after]).map_err(|error| self.refused(&error))?;
        while let Some(row) = rows.next().map_err(|error| self.refused(&error))? {
            let id: i64 = row.get(0).map_err(|error| self.refused(&error))?;
            let records = row.get_ref(1).and_then(|value| Ok(value.as_blob()?));
            let records = records.map_err(|error| self.refused(&error))?;
            if id != size.last_row + 1 {
                return Err(
                    self.damaged(format!("row {} of the log is missing", size.last_row + 1))
                );
            }
            size.last_row = id;
            size.log += records.len() as u64;
            for record in serde_json::Deserializer::from_slice(records).into_iter() {
                let record: Record<Command> = record
                    .map_err(|error| self.damaged(format!("row {id} of the log: {error}")))?;
                if !begun && !matches!(record, Record::Began { .. }) {
                    return Err(self.damaged("the beginning of the log is missing".to_owned()));
                }
                begun = true;
                if let Some(difference) = history.apply(record) {
                    differences += 1;
                    tell(&difference);
                }
            }
        }
        Ok(begun.then_some(Stored {
            history,
            differences,
            size,
        }))
    }

    /// Whether nothing was ever written.
    pub(super) fn is_empty(&self) -> Result<bool, DataDirError> {
        let any = "SELECT EXISTS (SELECT 1 FROM log) OR EXISTS (SELECT 1 FROM snapshot)";
        let any: rusqlite::Result<bool> = self.connection.query_row(any, [], |row| row.get(0));
        any.map(|any| !any).map_err(|error| self.refused(&error))
    }

    /// Whether there is a snapshot, so that the records do not go back to the beginning.
    pub(super) fn has_snapshot(&self) -> Result<bool, DataDirError> {
        let any = "SELECT EXISTS (SELECT 1 FROM snapshot)";
        let any = self.connection.query_row(any, [], |row| row.get(0));
        any.map_err(|error| self.refused(&error))
    }

    /// Adds a row to the log, after forgetting everything if that is asked for. When it returns, a
    /// crash cannot undo it.
    pub(super) fn append(&mut self, before: Before, records: &[u8]) -> rusqlite::Result<i64> {
        #[cfg(test)]
        {
            let pages = self.room.load(std::sync::atomic::Ordering::Relaxed);
            let pages = if pages == 0 { u32::MAX - 1 } else { pages };
            let limit = format!("PRAGMA max_page_count = {pages}");
            self.connection.query_row(&limit, [], |_| Ok(()))?;
        }
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        if before == Before::Forget {
            transaction
                .execute_batch("DELETE FROM log; DELETE FROM snapshot; DELETE FROM part;")?;
        }
        transaction.execute("INSERT INTO log (records) VALUES (?1)", [records])?;
        let row = transaction.last_insert_rowid();
        transaction.commit()?;
        Ok(row)
    }

    /// Gives the room of what was forgotten back to the file system.
    pub(super) fn shrink(&self) -> rusqlite::Result<()> {
        let mut pages = self.connection.prepare("PRAGMA incremental_vacuum")?;
        let mut pages = pages.query([])?;
        while pages.next()?.is_some() {}
        drop(pages);
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        self.connection.query_row(checkpoint, [], |_| Ok(()))
    }

    /// The number of a new snapshot.
    pub(super) fn next_snapshot(&self) -> rusqlite::Result<i64> {
        // Also past the parts of one that was given up.
        let next = "SELECT 1 + max(
            coalesce((SELECT max(id) FROM snapshot), 0),
            coalesce((SELECT max(snapshot) FROM part), 0))";
        self.connection.query_row(next, [], |row| row.get(0))
    }

    /// Adds parts to a snapshot.
    pub(super) fn add_parts(&mut self, snapshot: i64, parts: &[Vec<u8>]) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        for part in parts {
            let insert = "INSERT INTO part (snapshot, bytes) VALUES (?1, ?2)";
            transaction.execute(insert, params![snapshot, part])?;
        }
        transaction.commit()
    }

    /// Makes a snapshot count that has all its parts, and that holds the log up to a row.
    pub(super) fn finish_snapshot(
        &self,
        snapshot: i64,
        last_row: i64,
        clock: ClockSetting,
    ) -> rusqlite::Result<()> {
        let clock = serde_json::to_string(&clock)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        self.connection.execute(
            "INSERT INTO snapshot (id, log, clock) VALUES (?1, ?2, ?3)",
            params![snapshot, last_row, clock],
        )?;
        Ok(())
    }

    /// Sweeps away a little of what does not count: not while a snapshot is being written. Says
    /// whether there may be more.
    pub(super) fn sweep(&self) -> rusqlite::Result<Swept> {
        let newest = "SELECT id, log FROM snapshot ORDER BY id DESC LIMIT 1";
        let newest = self.connection.query_row(newest, [], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
        });
        let (snapshot, log) = newest.optional()?.unwrap_or((0, 0));
        let swept = self.connection.execute(
            "DELETE FROM part WHERE id IN (
                SELECT id FROM part WHERE snapshot <> ?1 LIMIT ?2)",
            params![snapshot, PARTS_SWEPT],
        )? + self.connection.execute(
            // The last row stays: SQLite numbers the next one after the last that is there.
            "DELETE FROM log WHERE id IN (SELECT id FROM log WHERE id < ?1 LIMIT ?2)",
            params![log, ROWS_SWEPT],
        )? + self
            .connection
            .execute("DELETE FROM snapshot WHERE id < ?1", [snapshot])?;
        Ok(match swept {
            0 => Swept::All,
            _ => Swept::Some,
        })
    }

    /// The engine and the clock of the newest snapshot, and the last row of the log in it.
    fn snapshot(&self, size: &mut Size) -> Result<Option<(History, i64)>, DataDirError> {
        let newest = "SELECT id, log, clock FROM snapshot ORDER BY id DESC LIMIT 1";
        let newest = self.connection.query_row(newest, [], |row| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, i64>(1)?,
                row.get::<_, String>(2)?,
            ))
        });
        let newest = newest.optional().map_err(|error| self.refused(&error))?;
        let Some((id, log, clock)) = newest else {
            return Ok(None);
        };
        let clock = serde_json::from_str(&clock)
            .map_err(|error| self.damaged(format!("the clock of snapshot {id}: {error}")))?;
        let mut parts = self
            .connection
            .prepare("SELECT bytes FROM part WHERE snapshot = ?1 ORDER BY id")
            .map_err(|error| self.refused(&error))?;
        let mut parts = parts.query([id]).map_err(|error| self.refused(&error))?;
        let mut restore = Restore::new();
        while let Some(row) = parts.next().map_err(|error| self.refused(&error))? {
            let part = row.get_ref(0).and_then(|value| Ok(value.as_blob()?));
            let part = part.map_err(|error| self.refused(&error))?;
            size.snapshot += part.len() as u64;
            restore
                .add(part)
                .map_err(|error| self.damaged(error.to_string()))?;
        }
        let engine = restore.finish();
        let engine = engine.map_err(|error| self.damaged(error.to_string()))?;
        Ok(Some((History::after(engine, clock), log)))
    }

    pub(super) fn path(&self) -> &std::path::Path {
        self.directory.path()
    }

    fn damaged(&self, reason: String) -> DataDirError {
        DataDirError::Damaged {
            path: self.path().to_owned(),
            reason,
        }
    }

    fn refused(&self, error: &rusqlite::Error) -> DataDirError {
        refused(&self.directory, error)
    }
}

fn refused(directory: &Directory, error: &rusqlite::Error) -> DataDirError {
    let path = directory.path().to_owned();
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DatabaseBusy) => DataDirError::InUse(path),
        Some(_) | None => DataDirError::Sqlite {
            path,
            reason: error.to_string(),
        },
    }
}

/// What is to be done before records are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    Nothing,
    /// Everything before them counts no more.
    Forget,
}

/// Whether there may be more to sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Swept {
    All,
    Some,
}
