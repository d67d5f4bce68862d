//! The layering of the workspace is a test: the tables are in `src/layering/`.

use std::collections::BTreeSet;
use std::fs;

use cargo_metadata::MetadataCommand;
use conformance::layering::paths::paths;
use conformance::layering::source::{CLOCK_FILES, CLOCKS, RULES};
use conformance::layering::tree::{AT_MOST, NEVER};
use conformance::layering::{manifest, workspace_root};

#[test]
fn manifests_declare_what_they_may() {
    // Without dependencies nothing is resolved, so this reads the manifests and nothing else.
    let metadata = MetadataCommand::new()
        .manifest_path(workspace_root().join("Cargo.toml"))
        .no_deps()
        .other_options(["--locked".to_owned(), "--offline".to_owned()])
        .exec()
        .expect("the workspace's manifests");
    assert_eq!(
        manifest::violations(&metadata.packages),
        Vec::<String>::new()
    );

    let built: BTreeSet<&str> = NEVER.iter().map(|row| row.package).collect();
    for row in manifest::ALLOWED {
        assert!(
            built.contains(row.package),
            "no row of NEVER builds {}",
            row.package
        );
    }
}

#[test]
fn no_crate_brings_what_it_never_may() {
    let root = workspace_root();
    let found: Vec<String> = NEVER
        .iter()
        .flat_map(|row| row.violations(&root).expect("a dependency tree"))
        .collect();
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn no_client_brings_more_packages_than_it_may() {
    let root = workspace_root();
    let found: Vec<String> = AT_MOST
        .iter()
        .filter_map(|row| row.violation(&root).expect("a dependency tree"))
        .collect();
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn no_source_names_what_it_never_may() {
    let root = workspace_root();
    for rule in RULES {
        assert!(
            !rule.files(&root).expect("folders").is_empty(),
            "nothing to read in {rule:?}"
        );
        assert_eq!(
            rule.violations(&root).expect("readable files"),
            [],
            "{}",
            rule.because
        );
    }
}

#[test]
fn each_clock_file_reads_the_clock() {
    for file in CLOCK_FILES {
        let source = fs::read_to_string(workspace_root().join(file))
            .unwrap_or_else(|error| panic!("{file} is where its crate reads the time: {error}"));
        let reads = paths(&source)
            .iter()
            .any(|path| CLOCKS.iter().any(|clock| path.names(clock)));
        assert!(reads, "{file} reads no clock: take it out of CLOCK_FILES");
    }
}
