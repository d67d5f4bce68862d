//! AWS's cases that botocore's source package carries, where `vectors/aws-json/fetch` leaves them.
//!
//! The package is pinned by version and hash in `vectors/aws-json/botocore.json`, together with the files that
//! are taken from it and how many cases each must have. None of it is part of this repository.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::LoadError;
use crate::error::read;

/// The files of botocore's source package that are on this machine.
#[derive(Debug, Clone)]
pub struct Botocore {
    folder: PathBuf,
    pin: Pin,
}

/// What `botocore.json` says.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pin {
    version: String,
    /// For the script that fetches; it is what pip checks.
    #[serde(rename = "sha256")]
    _sha256: String,
    files: BTreeMap<String, usize>,
}

impl Botocore {
    /// Where the files belong: below `vectors` in cargo's target folder. Whether they are there, says
    /// [`is_there`](Self::is_there).
    ///
    /// # Errors
    ///
    /// [`LoadError::NotFound`] when `cargo metadata` fails, and what is wrong with `botocore.json`.
    pub fn locate() -> Result<Self, LoadError> {
        let metadata = cargo_metadata::MetadataCommand::new()
            .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
            .no_deps()
            .exec()
            .map_err(|error| LoadError::NotFound(error.to_string()))?;
        let pin = Pin::load()?;
        let folder = metadata.target_directory.into_std_path_buf();
        let folder = folder
            .join("vectors")
            .join(format!("botocore-{}", pin.version));
        Ok(Self { folder, pin })
    }

    /// Another place: a folder that the script was told to fill.
    ///
    /// # Errors
    ///
    /// What is wrong with `botocore.json`.
    pub fn at(folder: impl Into<PathBuf>) -> Result<Self, LoadError> {
        let (folder, pin) = (folder.into(), Pin::load()?);
        Ok(Self { folder, pin })
    }

    /// Whether the folder exists. If it does, it must hold every file.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.folder.exists()
    }

    /// What to say when it is not there: what is missed, and how to get it.
    #[must_use]
    pub fn how_to_fetch(&self) -> String {
        format!(
            "not there: AWS's cases in the source package of botocore {}; test-vectors/vectors/aws-json/fetch \
             puts them into {}",
            self.pin.version,
            self.folder.display()
        )
    }

    /// Reads one file as JSON, by its path in the package, and how many cases it must have.
    ///
    /// # Errors
    ///
    /// If `botocore.json` does not list it, it cannot be read, or it is not what is expected.
    pub fn read<T: DeserializeOwned>(&self, file: &str) -> Result<(T, usize), LoadError> {
        let path = self.folder.join(file);
        let Some(count) = self.pin.files.get(file) else {
            let problem =
                "vectors/aws-json/botocore.json does not list it; expected one that it does";
            return Err(LoadError::malformed(&path, problem));
        };
        let text = read(&path, "what vectors/aws-json/fetch puts there")?;
        match serde_json::from_str(&text) {
            Ok(value) => Ok((value, *count)),
            Err(error) => Err(LoadError::malformed(&path, error.to_string())),
        }
    }
}

impl Pin {
    fn load() -> Result<Self, LoadError> {
        let path = PathBuf::from(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/vectors/aws-json/botocore.json"
        ));
        let text = read(&path, "the pin of botocore")?;
        serde_json::from_str(&text).map_err(|error| LoadError::malformed(&path, error.to_string()))
    }
}
