//! What signing and verifying cost, next to the hashing alone and to other packages.
//!
//! `cargo bench --manifest-path sigv4/bench/Cargo.toml` runs it and prints the ratios.

pub mod case;
pub mod clock;
pub mod floor;
pub mod interleaved;
pub mod ours;
pub mod peers;
pub mod report;
pub mod threads;
pub mod workload;

use case::Case;
use workload::Workload;

/// Everything that is measured. Making it checks that all of them agree on the signatures.
#[must_use]
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for workload in Workload::all() {
        cases.extend(floor::cases(&workload));
    }
    cases.extend(Workload::all().map(ours::sign_case));
    cases.extend(Workload::all().map(ours::sign_new_key_case));
    cases.extend(Workload::all().map(ours::presign_case));
    cases.extend(Workload::all().map(ours::verify_case));
    cases.extend(Workload::all().map(peers::aws_sign_case));
    cases.extend(Workload::all().map(peers::aws_presign_case));
    cases.extend(Workload::all().map(peers::reqsign_case));
    for workload in Workload::all() {
        cases.extend(peers::scratchstack_cases(&workload));
    }
    cases
}
