//! What the tests of this package share.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use test_vectors::suite::{self, Suite};

/// Asking cargo takes a while, so it is asked once.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| suite::locate().unwrap());

/// AWS's suite from the pinned package.
pub(crate) fn suite_of_aws() -> Suite {
    suite::load(&FOLDER).unwrap()
}

/// Its v4a cases.
pub(crate) fn asymmetric_suite_of_aws() -> Suite {
    suite::load_v4a(&FOLDER).unwrap()
}

/// A folder of a test's own, gone when the test is over.
pub(crate) struct Copy(pub(crate) PathBuf);

impl Copy {
    pub(crate) fn empty(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// The suite with one of its v4 cases.
    pub(crate) fn of_the_suite(name: &str, case: &str) -> Self {
        Self::of_folder(name, "v4", case)
    }

    /// The suite with one of its v4a cases.
    pub(crate) fn of_the_asymmetric_suite(name: &str, case: &str) -> Self {
        Self::of_folder(name, "v4a", case)
    }

    fn of_folder(name: &str, folder: &str, case: &str) -> Self {
        let copy = Self::empty(name);
        let from = FOLDER.join(folder).join(case);
        let to = copy.0.join(folder).join(case);
        fs::create_dir_all(&to).unwrap();
        for file in fs::read_dir(from).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
        copy
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
