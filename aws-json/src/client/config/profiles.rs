//! Profiles, from AWS's two shared files.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::sections::{FileKind, Heading, Property, Section, is_name, sections};
use super::{ConfigError, Environment};

/// What is in AWS's shared files: `~/.aws/config` and `~/.aws/credentials`, or wherever
/// `AWS_CONFIG_FILE` and `AWS_SHARED_CREDENTIALS_FILE` say.
///
/// A file that is not there is as good as empty. What both files say of one profile is put
/// together, and what the credentials file says counts before the other.
///
/// ```
/// use aws_json::client::config::{Environment, Profiles};
///
/// let environment = Environment::from_iter([("HOME", "/home/me"), ("AWS_PROFILE", "dev")])
///     .file("/home/me/.aws/config", "[profile dev]\nregion = eu-west-2 # London\n")
///     .file("/home/me/.aws/credentials", "[dev]\naws_access_key_id = test\n");
/// let profiles = Profiles::load(&environment)?;
/// let dev = profiles.selected().ok_or("no such profile")?;
/// assert_eq!(dev.name(), "dev");
/// assert_eq!(dev.get("region"), Some("eu-west-2"));
/// assert_eq!(dev.get("aws_access_key_id"), Some("test"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Profiles {
    selected: String,
    profiles: BTreeMap<String, Profile>,
    services: BTreeMap<String, Profile>,
    sso_sessions: BTreeMap<String, Profile>,
}

impl Profiles {
    /// Reads the shared files of an environment, each of 1 MiB at most.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or is not in the format, with the line; `AWS_PROFILE` if there
    /// is no profile of that name.
    pub fn load(environment: &Environment) -> Result<Self, ConfigError> {
        let config = path_of(environment, "AWS_CONFIG_FILE", "config")?;
        let credentials = path_of(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials")?;
        let mut profiles = Self {
            selected: DEFAULT.to_owned(),
            profiles: BTreeMap::new(),
            services: BTreeMap::new(),
            sso_sessions: BTreeMap::new(),
        };
        for (path, kind) in [
            (&config, FileKind::Config),
            (&credentials, FileKind::Credentials),
        ] {
            let Some(path) = path else { continue };
            if let Some(text) = environment.read(path)? {
                profiles.add(sections(&text, kind, &Arc::from(path.as_path()))?);
            }
        }
        if let Some(name) = environment.var(AWS_PROFILE)? {
            if !profiles.profiles.contains_key(&name) {
                return Err(unknown(&name, &[config, credentials]));
            }
            profiles.selected = name;
        }
        Ok(profiles)
    }

    /// The profile that `AWS_PROFILE` names, or else the one called `default`, if there is one.
    #[must_use]
    pub fn selected(&self) -> Option<&Profile> {
        self.profile(&self.selected)
    }

    /// The profile of this name.
    #[must_use]
    pub fn profile(&self, name: &str) -> Option<&Profile> {
        self.profiles.get(name)
    }

    /// All profiles, in the order of their names.
    pub fn all(&self) -> impl Iterator<Item = &Profile> {
        self.profiles.values()
    }

    /// The `[sso-session …]` section of this name.
    #[must_use]
    pub fn sso_session(&self, name: &str) -> Option<&Profile> {
        self.sso_sessions.get(name)
    }

    /// All `[sso-session …]` sections, in the order of their names.
    pub fn sso_sessions(&self) -> impl Iterator<Item = &Profile> {
        self.sso_sessions.values()
    }

    /// The `[services …]` section of this name, of which the properties have properties.
    pub(super) fn services(&self, name: &str) -> Option<&Profile> {
        self.services.get(name)
    }

    /// Adds a file. What is there already stays unless it is named again.
    fn add(&mut self, sections: Vec<Section>) {
        let default = Heading::Profile(DEFAULT.to_owned());
        let has_default = sections.iter().any(|section| section.heading == default);
        for section in sections {
            let (kind, name) = match section.heading {
                Heading::Profile(name) => (&mut self.profiles, name),
                Heading::BareDefault if !has_default => (&mut self.profiles, DEFAULT.to_owned()),
                Heading::Services(name) => (&mut self.services, name),
                Heading::SsoSession(name) => (&mut self.sso_sessions, name),
                Heading::BareDefault | Heading::Other => continue,
            };
            let profile = kind.entry(name).or_insert_with_key(|name| Profile {
                name: name.clone(),
                properties: BTreeMap::new(),
            });
            let properties = section.properties.into_iter();
            profile
                .properties
                .extend(properties.filter(|(name, _)| is_name(name)));
        }
    }
}

/// A section of the shared files: a name and properties. Its `Debug` shows no value.
#[derive(Clone)]
pub struct Profile {
    name: String,
    properties: BTreeMap<String, Property>,
}

impl Profile {
    /// What stands in the brackets, without the word `profile`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value of a property, by its name in lower case. One that is empty counts as one that
    /// is not set.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.property(name).map(|property| &*property.value)
    }

    /// All properties with their values, in the order of their names, which are in lower case.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.properties.iter();
        pairs.map(|(name, property)| (&**name, &*property.value))
    }

    /// Something is wrong with a property: an error that names its file and line.
    pub(in crate::client) fn error(&self, name: &str, problem: &str) -> ConfigError {
        match self.properties.get(name) {
            Some(property) => {
                let problem = format!("{name} {problem}");
                ConfigError::line(&property.path, property.line, problem)
            }
            None => ConfigError::profile(&self.name, format!("has no {name}: it {problem}")),
        }
    }

    pub(super) fn property(&self, name: &str) -> Option<&Property> {
        let property = self.properties.get(name);
        property.filter(|property| !property.value.is_empty())
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profile")
            .field("name", &self.name)
            .field("properties", &self.properties)
            .finish()
    }
}

const AWS_PROFILE: &str = "AWS_PROFILE";
const DEFAULT: &str = "default";

/// Where a shared file is: where the variable says, or in `.aws` of the user's folder. In front
/// of a path `~` is that folder.
fn path_of(
    environment: &Environment,
    variable: &str,
    name: &str,
) -> Result<Option<PathBuf>, ConfigError> {
    let home = environment.home()?;
    let Some(path) = environment.var(variable)? else {
        return Ok(home.map(|home| home.join(".aws").join(name)));
    };
    let below_home = path.strip_prefix("~/").zip(home);
    Ok(Some(match below_home {
        Some((rest, home)) => home.join(rest),
        None => path.into(),
    }))
}

fn unknown(name: &str, paths: &[Option<PathBuf>; 2]) -> ConfigError {
    let paths = paths
        .iter()
        .flatten()
        .map(|path| path.display().to_string());
    let problem = match paths.collect::<Vec<_>>().join(" or ") {
        none if none.is_empty() => {
            format!("is {name:?}, and HOME, where shared files would be, is not set")
        }
        paths => format!("is {name:?}, which is no profile in {paths}"),
    };
    ConfigError::variable(AWS_PROFILE, problem)
}

#[cfg(test)]
mod tests;
