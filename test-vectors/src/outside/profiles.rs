//! AWS's cases of its shared files, which travel inside the crates.io package `aws-runtime`: what is in them,
//! and where they are.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use aws_json::client::config::{Environment, Profile, Profiles};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::read;
use crate::outside::{Kind, Run, Verdict};
use crate::report::Failure;
use crate::{LoadError, package};

/// The crates.io package that carries the cases, and its version.
pub const PACKAGE: (&str, &str) = ("aws-runtime", "1.10.2");

/// Finds the folder of the cases.
///
/// # Errors
///
/// As [`package::folder`].
pub fn locate() -> Result<PathBuf, LoadError> {
    Ok(package::folder(PACKAGE)?.join("test-data"))
}

/// Runs all cases.
///
/// # Errors
///
/// If a file cannot be read or is in another form.
pub fn run(folder: &Path, run: &mut Run) -> Result<(), LoadError> {
    let contents: File<Contents> = load(&folder.join("profile-parser-tests.json"))?;
    for case in contents.tests {
        let verdict = case.verdict();
        run.add(Kind::SharedFile, case.name, verdict);
    }
    let places: File<Place> = load(&folder.join("file-location-tests.json"))?;
    for case in places.tests {
        let verdict = case.verdict();
        run.add(Kind::FilePlace, case.name, verdict);
    }
    Ok(())
}

fn load<T: DeserializeOwned>(path: &Path) -> Result<T, LoadError> {
    let text = read(path, "cases of AWS's shared files")?;
    serde_json::from_str(&text).map_err(|error| LoadError::malformed(path, error.to_string()))
}

#[derive(Debug, Deserialize)]
struct File<T> {
    tests: Vec<T>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    name: String,
    input: Input,
    output: Output,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Input {
    config_file: Option<String>,
    credentials_file: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
enum Output {
    Config {
        profiles: Sections,
        #[serde(default)]
        sso_sessions: Sections,
    },
    ErrorContaining(String),
}

type Sections = BTreeMap<String, BTreeMap<String, String>>;

impl Contents {
    fn verdict(&self) -> Verdict {
        let mut environment = Environment::from_iter([("HOME", HOME)]);
        for (name, text) in [
            ("config", &self.input.config_file),
            ("credentials", &self.input.credentials_file),
        ] {
            if let Some(text) = text {
                environment = environment.file(Path::new(HOME).join(".aws").join(name), &**text);
            }
        }
        match (Profiles::load(&environment), &self.output) {
            (
                Ok(got),
                Output::Config {
                    profiles,
                    sso_sessions,
                },
            ) => Verdict::compare(
                "sections",
                &(lines("profile", profiles) + &lines("sso-session", sso_sessions)),
                &(lines("profile", &sections_of(got.all()))
                    + &lines("sso-session", &sections_of(got.sso_sessions()))),
            ),
            (Err(error), Output::ErrorContaining(part)) if error.to_string().contains(part) => {
                Verdict::Passed
            }
            (Err(error), Output::ErrorContaining(part)) => {
                Verdict::Failed(Failure::new("part of the error", part, &error.to_string()))
            }
            (Err(error), Output::Config { .. }) => {
                Verdict::Failed(Failure::new("outcome", "no error", &error.to_string()))
            }
            (Ok(_), Output::ErrorContaining(part)) => {
                Verdict::Failed(Failure::new("part of the error", part, "no error"))
            }
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Place {
    name: String,
    environment: BTreeMap<String, String>,
    platform: String,
    profile: Option<String>,
    config_location: String,
    credentials_location: String,
}

impl Place {
    /// A property at each place is found in the profile that counts.
    fn verdict(&self) -> Verdict {
        if (self.platform == "windows") != cfg!(windows) {
            return Verdict::Skipped("they are another platform's");
        }
        let profile = self.profile.as_deref().unwrap_or("default");
        let environment = Environment::from_iter(&self.environment)
            .file(
                &self.config_location,
                format!("[profile {profile}]\na = config\n"),
            )
            .file(
                &self.credentials_location,
                format!("[{profile}]\nb = credentials\n"),
            );
        let got = match Profiles::load(&environment) {
            Ok(profiles) => lines("profile", &sections_of(profiles.selected().into_iter())),
            Err(error) => error.to_string(),
        };
        let expected = format!("[profile {profile}]\na = \"config\"\nb = \"credentials\"\n");
        Verdict::compare("selected profile", &expected, &got)
    }
}

fn sections_of<'a>(profiles: impl Iterator<Item = &'a Profile>) -> Sections {
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let section = |profile: &Profile| {
        let properties = profile.properties().map(owned).collect();
        (profile.name().to_owned(), properties)
    };
    profiles.map(section).collect()
}

/// Sections as text, a line a property.
fn lines(kind: &str, sections: &Sections) -> String {
    let mut text = String::new();
    for (name, properties) in sections {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "[{kind} {name}]");
        for (name, value) in properties {
            let _ = writeln!(text, "{name} = {value:?}");
        }
    }
    text
}

const HOME: &str = "/home/user";
