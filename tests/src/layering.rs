//! Which crate may use what, as tables, and the search for what breaks them.
//!
//! Three things are looked at: the dependencies a manifest declares ([`manifest`]), every
//! package that building a crate alone brings along ([`tree`]), and what its sources name
//! ([`source`]). `tests/layering.rs` runs them over this workspace.

pub mod manifest;
pub mod paths;
pub mod source;
pub mod tree;

use std::path::PathBuf;

/// The folder of the workspace's own `Cargo.toml`.
///
/// # Panics
///
/// Never: this package lies in a folder of the workspace.
#[must_use]
pub fn workspace_root() -> PathBuf {
    let package = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    package
        .parent()
        .expect("the workspace's folder holds this package's")
        .to_path_buf()
}
