//! Criterion over every case, then all of them interleaved, then the ratios.
//!
//! On a machine that does other things too, Criterion's times can be half as long again as the work
//! itself, and by another factor for each case; the interleaved medians are what the verdicts go by, and
//! Criterion's ratios stand beside them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use criterion::Criterion;
use sigv4_bench::case::Case;
use sigv4_bench::report::{self, Times};
use sigv4_bench::{cases, interleaved, threads};

const ROUNDS: usize = 3000;

fn main() {
    let mut cases = cases();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("criterion");
    // What an earlier run measured is not this run's.
    let _ = std::fs::remove_dir_all(&folder);
    let mut criterion = Criterion::default()
        .output_directory(&folder)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1))
        .sample_size(30)
        .without_plots()
        .configure_from_args();
    for case in &mut cases {
        let mut group = criterion.benchmark_group(case.who);
        group.bench_function(case.what.clone(), |bencher| {
            bencher.iter_custom(|times| case.time(times));
        });
        group.finish();
    }
    criterion.final_summary();

    println!("\nInterleaved: the median of {ROUNDS} batches of about 60 µs of each case in turn.");
    let medians = interleaved::medians(&mut cases, ROUNDS);
    let times: Vec<Times> = cases
        .iter()
        .zip(medians)
        .map(|(case, interleaved)| Times {
            who: case.who,
            what: case.what.clone(),
            interleaved,
            criterion: criterion_median(&folder, case),
        })
        .collect();
    let report = report::Report {
        times,
        allocations: allocations(),
        dependencies: dependencies(),
        threads: threads::measure(),
    };
    print!("{report}");
}

/// The median that Criterion wrote down for a case, in nanoseconds; none when it was filtered out.
fn criterion_median(folder: &Path, case: &Case) -> Option<f64> {
    let name = |text: &str| text.replace(['/', '?', '"', '*', '<', '>', '|', ':', '\\'], "_");
    let path: PathBuf = [
        name(case.who),
        name(&case.what),
        "new".into(),
        "estimates.json".into(),
    ]
    .iter()
    .collect();
    let text = std::fs::read_to_string(folder.join(path)).ok()?;
    let estimates: serde_json::Value = serde_json::from_str(&text).ok()?;
    estimates["median"]["point_estimate"].as_f64()
}

fn allocations() -> Vec<(String, String, usize)> {
    let output = Command::new(env!("CARGO_BIN_EXE_allocations"))
        .output()
        .expect("it was built");
    let text = String::from_utf8(output.stdout).expect("it prints text");
    text.lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            (
                fields[0].to_owned(),
                fields[1].to_owned(),
                fields[2].parse().expect("a number"),
            )
        })
        .collect()
}

/// The crates that one who depends on `sigv4` builds besides it, without features.
fn dependencies() -> usize {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "tree",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--package",
            "aws-json-sigv4",
        ])
        .args(["--format", "{p}", "--no-dedupe", "--manifest-path"])
        .arg(manifest)
        .output()
        .expect("cargo runs");
    let text = String::from_utf8(output.stdout).expect("it prints text");
    let crates: std::collections::BTreeSet<&str> = text.lines().collect();
    crates
        .len()
        .checked_sub(1)
        .expect("the crate itself is among them")
}
