//! Packages of crates.io that carry cases of AWS's, among the sources that cargo keeps.

use std::path::PathBuf;

use crate::LoadError;

/// Finds a package by its name and version. It must be one that this workspace's lock file lists: cargo
/// downloads all of those, so that this works on a fresh machine too.
///
/// # Errors
///
/// [`LoadError::NotFound`] when `cargo metadata` fails (it is run with `--locked`, and may need the
/// network once) or does not list the package in this version.
pub fn folder((name, version): (&str, &str)) -> Result<PathBuf, LoadError> {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let metadata = cargo_metadata::MetadataCommand::new()
        .manifest_path(manifest)
        .other_options(["--locked".to_owned()])
        .exec()
        .map_err(|error| LoadError::NotFound(error.to_string()))?;
    let package = metadata
        .packages
        .iter()
        .find(|package| package.name.as_str() == name && package.version.to_string() == version);
    let folder = package.and_then(|package| package.manifest_path.parent());
    match folder {
        Some(folder) => Ok(folder.as_std_path().to_owned()),
        None => Err(LoadError::NotFound(format!(
            "cargo metadata of {manifest} does not list {name} {version}"
        ))),
    }
}
