//! The data directory: whose it is, and who may use it now.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::DataDirError;

/// The database. Beside it SQLite keeps its log, under the same name with `-wal` behind it.
const DATABASE: &str = "fake-sqs.db";

/// Held by the process that uses the directory. It stays there, empty.
const LOCK: &str = "lock";

/// In the header of the database: `fsqs`, which says whose it is, and the version of its tables.
const APPLICATION_ID: i32 = 0x6673_7173;
const VERSION: i32 = 1;

/// Every SQLite database begins with this; the two numbers are at fixed places after it, big-endian
/// (<https://www.sqlite.org/fileformat.html>, section 1.3).
const HEADER_MARK: &[u8; 16] = b"SQLite format 3\0";
const HEADER_LEN: usize = 100;
const VERSION_AT: usize = 60;
const APPLICATION_ID_AT: usize = 68;

/// A directory that this process has for itself.
pub(super) struct Directory {
    path: PathBuf,
    /// Given back when it is closed, however the process ends.
    _lock: File,
}

impl Directory {
    /// Takes a directory that is there, or makes one that only its owner can look into: messages
    /// are nobody else's business.
    pub(super) fn create(path: &Path) -> Result<Self, DataDirError> {
        make(path).map_err(|source| io_error(path, source))?;
        Self::take(path)
    }

    /// Takes a directory that has a state in it.
    pub(super) fn existing(path: &Path) -> Result<Self, DataDirError> {
        let database = path.join(DATABASE);
        match fs::metadata(&database) {
            Ok(metadata) if metadata.len() > 0 => Self::take(path),
            Ok(_) => Err(DataDirError::Empty(path.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_dir() => {
                Err(DataDirError::Empty(path.to_owned()))
            }
            Err(source) => Err(io_error(path, source)),
        }
    }

    /// Nothing is written before it is clear that the directory is ours.
    fn take(path: &Path) -> Result<Self, DataDirError> {
        check_owner(path)?;
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path.join(LOCK))
            .map_err(|source| io_error(path, source))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self {
                path: path.to_owned(),
                _lock: lock,
            }),
            Err(TryLockError::WouldBlock) => Err(DataDirError::InUse(path.to_owned())),
            Err(TryLockError::Error(source)) => Err(io_error(path, source)),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The database, with its tables.
    pub(super) fn connect(&self) -> rusqlite::Result<Connection> {
        let connection = Connection::open(self.path.join(DATABASE))?;
        // No other process is to look in, so none need share memory with this one.
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        // The header is written before the log of SQLite begins: so it is in the file itself, where
        // `check_owner` reads it.
        let version: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version == 0 {
            connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
            connection.execute_batch(&format!(
                "BEGIN IMMEDIATE;
                 CREATE TABLE log (id INTEGER PRIMARY KEY, records BLOB NOT NULL);
                 CREATE TABLE snapshot (
                     id INTEGER PRIMARY KEY, log INTEGER NOT NULL, clock TEXT NOT NULL
                 );
                 CREATE TABLE part (
                     id INTEGER PRIMARY KEY, snapshot INTEGER NOT NULL, bytes BLOB NOT NULL
                 );
                 PRAGMA application_id = {APPLICATION_ID};
                 PRAGMA user_version = {VERSION};
                 COMMIT;"
            ))?;
        }
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "journal_size_limit", JOURNAL_BYTES_KEPT)?;
        Ok(connection)
    }
}

fn make(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut builder = fs::DirBuilder::new();
    // One that somebody else made meanwhile will do.
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// How large SQLite's own log stays after it was larger.
const JOURNAL_BYTES_KEPT: i64 = 16 << 20;

/// Whether the directory is ours, or nobody's.
fn check_owner(path: &Path) -> Result<(), DataDirError> {
    let foreign = |what: &str| DataDirError::Foreign {
        path: path.to_owned(),
        what: what.to_owned(),
    };
    let mut file = match File::open(path.join(DATABASE)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return match stranger(path).map_err(|source| io_error(path, source))? {
                Some(name) => Err(foreign(&format!("there is a {name:?} and no {DATABASE}"))),
                None => Ok(()),
            };
        }
        Err(source) => return Err(io_error(path, source)),
    };
    let mut header = Vec::new();
    let mut start = file.by_ref().take(HEADER_LEN as u64);
    start
        .read_to_end(&mut header)
        .map_err(|source| io_error(path, source))?;
    // It was being made when the process or the machine went down.
    if header.is_empty() {
        return Ok(());
    }
    let number = |at: usize| {
        let bytes = header.get(at..at + 4)?.try_into().ok()?;
        Some(i32::from_be_bytes(bytes))
    };
    match (number(APPLICATION_ID_AT), number(VERSION_AT)) {
        _ if !header.starts_with(HEADER_MARK) => {
            Err(foreign(&format!("its {DATABASE} is no database")))
        }
        (Some(APPLICATION_ID), Some(found)) if found > VERSION => Err(DataDirError::Newer {
            path: path.to_owned(),
            found,
            known: VERSION,
        }),
        (Some(APPLICATION_ID), Some(_)) => Ok(()),
        (Some(_) | None, _) => Err(foreign(&format!("its {DATABASE} is another program's"))),
    }
}

/// Something in a directory that speaks against its being nobody's. Hidden files, and what a file
/// system puts into its root, do not.
fn stranger(path: &Path) -> io::Result<Option<String>> {
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        let known = name == LOCK || name == "lost+found" || name.starts_with('.');
        if !known && !name.starts_with(DATABASE) {
            return Ok(Some(name.into_owned()));
        }
    }
    Ok(None)
}

fn io_error(path: &Path, source: io::Error) -> DataDirError {
    DataDirError::Io {
        path: path.to_owned(),
        source,
    }
}
