//! Every file of the corpora goes through its target, in an ordinary build.

use std::fs;
use std::path::Path;

#[test]
fn every_input_kept_passes() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for (name, target) in fuzz::TARGETS {
        let folder = corpus.join(name);
        let mut files = 0;
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("an entry").path();
            println!("{}", path.display());
            target(&fs::read(&path).expect("a file"));
            files += 1;
        }
        assert!(files > 0, "{} is empty", folder.display());
    }
}

#[test]
fn every_target_has_its_program() {
    let targets = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz_targets");
    let mut programs: Vec<String> = fs::read_dir(targets)
        .expect("the folder of the targets")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            path.file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    programs.sort();
    let names: Vec<&str> = fuzz::TARGETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(programs, names);
}
