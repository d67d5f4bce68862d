//! The two programs of this folder, `ours` and `theirs`, which do the same: their sizes and their crates.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The profiles that they are built with, each stripped: cargo's own for `--release`, and the one that
/// this project's programs are released with.
pub const PROFILES: [&str; 2] = ["release", "small"];

/// A program as it is built.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its size in bytes with each of the [`PROFILES`].
    pub bytes: [u64; 2],
    /// The packages that it is built from, besides itself: those that a normal dependency leads to,
    /// macros and what they are made of too, but not what only build scripts use.
    pub crates: usize,
}

/// Builds a program and measures it.
#[must_use]
pub fn measure(package: &str) -> Program {
    let bytes = PROFILES.map(|profile| size(&workspace(), package, profile));
    Program {
        bytes,
        crates: crates(&workspace(), &["--package", package]),
    }
}

/// The [packages](Program::crates) of `sqs` with its feature `tls`, whatever it is part of.
#[must_use]
pub fn crates_of_client() -> usize {
    let root = workspace().join("../..");
    crates(
        &root,
        &["--package=sqs", "--no-default-features", "--features=tls"],
    )
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn crates(folder: &Path, of: &[&str]) -> usize {
    let tree = [
        "tree",
        "--locked",
        "--edges=normal",
        "--prefix=none",
        "--format={p}",
        "--no-dedupe",
    ];
    let tree = run(folder, &[&tree, of].concat());
    let crates: BTreeSet<&str> = tree.lines().collect();
    crates.len() - 1
}

fn size(workspace: &Path, package: &str, profile: &str) -> u64 {
    let build = [
        "build",
        "--locked",
        "--package",
        package,
        "--profile",
        profile,
    ];
    run(workspace, &build);
    let program = target(workspace).join(profile).join(package);
    std::fs::metadata(&program).expect("it was built").len()
}

fn target(workspace: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), PathBuf::from)
}

fn run(workspace: &Path, arguments: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(arguments)
        .current_dir(workspace)
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("it prints text")
}
