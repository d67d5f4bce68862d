//! The settings that are read from the environment.

use super::{ConfigError, Environment, Profile, Profiles};
#[cfg(feature = "compression")]
use crate::client::compression::{COMPRESSION_MIN_LIMIT, Compression};
use crate::client::endpoint::{Endpoint, EndpointError, Variant};
use crate::client::skew::ClockSkew;

/// What the environment says about a client. The [module](super) has the table.
#[derive(Debug, Default)]
pub(in crate::client) struct Settings {
    pub(in crate::client) region: Option<String>,
    pub(in crate::client) endpoint: Option<Endpoint>,
    pub(in crate::client) variant: Variant,
    pub(in crate::client) max_attempts: Option<u32>,
    /// Whether the clock's error is corrected, if somebody says.
    pub(in crate::client) clock_skew: Option<ClockSkew>,
    #[cfg(feature = "compression")]
    pub(in crate::client) compression: Option<Compression>,
}

impl Settings {
    /// Reads the settings of a service, which has this id in lower_snake_case.
    pub(in crate::client) fn read(
        environment: &Environment,
        service_id: &str,
    ) -> Result<Self, ConfigError> {
        let profiles = Profiles::load(environment)?;
        let reader = Reader {
            environment,
            profile: profiles.selected(),
        };
        let fips = reader.flag("AWS_USE_FIPS_ENDPOINT", "use_fips_endpoint")?;
        let dual_stack = reader.flag("AWS_USE_DUALSTACK_ENDPOINT", "use_dualstack_endpoint")?;
        let skew = reader.flag(
            "AWS_DISABLE_CLOCK_SKEW_CORRECTION",
            "disable_clock_skew_correction",
        )?;
        let ignored = reader.flag(
            "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
            "ignore_configured_endpoint_urls",
        )?;
        Ok(Self {
            region: reader.region()?,
            endpoint: match ignored {
                Some(Flag::On) => None,
                Some(Flag::Off) | None => reader.endpoint(&profiles, service_id)?,
            },
            variant: match (fips, dual_stack) {
                (Some(Flag::On), Some(Flag::On)) => Variant::FipsDualStack,
                (Some(Flag::On), Some(Flag::Off) | None) => Variant::Fips,
                (Some(Flag::Off) | None, Some(Flag::On)) => Variant::DualStack,
                (Some(Flag::Off) | None, Some(Flag::Off) | None) => Variant::Plain,
            },
            max_attempts: reader.max_attempts()?,
            clock_skew: skew.map(|disabled| match disabled {
                Flag::On => ClockSkew::Ignore,
                Flag::Off => ClockSkew::Correct,
            }),
            #[cfg(feature = "compression")]
            compression: reader.compression()?,
        })
    }
}

#[derive(Clone, Copy)]
enum Flag {
    On,
    Off,
}

/// Reads one setting after the other, each from a variable or else from the profile.
struct Reader<'a> {
    environment: &'a Environment,
    profile: Option<&'a Profile>,
}

impl Reader<'_> {
    fn region(&self) -> Result<Option<String>, ConfigError> {
        for name in ["AWS_REGION", "AWS_DEFAULT_REGION"] {
            if let Some(region) = self.setting(name, None, check_region)? {
                return Ok(Some(region));
            }
        }
        self.in_profile("region", check_region)
    }

    fn endpoint(
        &self,
        profiles: &Profiles,
        service_id: &str,
    ) -> Result<Option<Endpoint>, ConfigError> {
        let own = format!("AWS_ENDPOINT_URL_{}", service_id.to_ascii_uppercase());
        for name in [&own, "AWS_ENDPOINT_URL"] {
            if let Some(endpoint) = self.setting(name, None, endpoint)? {
                return Ok(Some(endpoint));
            }
        }
        let Some(profile) = self.profile else {
            return Ok(None);
        };
        if let Some(name) = profile.get("services") {
            let services = profiles.services(name).ok_or_else(|| {
                profile.error(
                    "services",
                    &format!("is {name:?}; there is no [services {name}]"),
                )
            })?;
            let url = services
                .property(service_id)
                .and_then(|property| property.nested("endpoint_url"));
            if let Some(url) = url.filter(|url| !url.is_empty()) {
                let endpoint = endpoint(url).map_err(|problem| {
                    services.error(service_id, &format!("endpoint_url {problem}"))
                })?;
                return Ok(Some(endpoint));
            }
        }
        self.in_profile("endpoint_url", endpoint)
    }

    fn max_attempts(&self) -> Result<Option<u32>, ConfigError> {
        self.setting("AWS_MAX_ATTEMPTS", Some("max_attempts"), |text| {
            let count = text.parse().ok().filter(|count| *count > 0);
            count
                .ok_or_else(|| format!("is {}; it must be a number from 1, such as 3", shown(text)))
        })
    }

    #[cfg(feature = "compression")]
    fn compression(&self) -> Result<Option<Compression>, ConfigError> {
        let disabled = self.flag(
            "AWS_DISABLE_REQUEST_COMPRESSION",
            "disable_request_compression",
        )?;
        let least = self.setting(
            "AWS_REQUEST_MIN_COMPRESSION_SIZE_BYTES",
            Some("request_min_compression_size_bytes"),
            |text| {
                let bytes = text.parse().ok();
                let bytes = bytes.filter(|bytes| *bytes <= COMPRESSION_MIN_LIMIT);
                bytes.ok_or_else(|| {
                    let text = shown(text);
                    format!(
                        "is {text}; it must be a number of bytes from 0 to {COMPRESSION_MIN_LIMIT}"
                    )
                })
            },
        )?;
        Ok(match disabled {
            Some(Flag::On) => Some(Compression::Off),
            Some(Flag::Off) | None => least.map(Compression::From),
        })
    }

    fn flag(&self, variable: &str, property: &str) -> Result<Option<Flag>, ConfigError> {
        self.setting(variable, Some(property), |text| {
            if text.eq_ignore_ascii_case("true") {
                Ok(Flag::On)
            } else if text.eq_ignore_ascii_case("false") {
                Ok(Flag::Off)
            } else {
                Err(format!("is {}; it must be true or false", shown(text)))
            }
        })
    }

    /// A setting from a variable, or else from a property of the profile.
    fn setting<T>(
        &self,
        variable: &str,
        property: Option<&str>,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, ConfigError> {
        if let Some(text) = self.environment.var(variable)? {
            let parsed = parse(&text).map_err(|problem| ConfigError::variable(variable, problem));
            return parsed.map(Some);
        }
        match property {
            Some(property) => self.in_profile(property, parse),
            None => Ok(None),
        }
    }

    fn in_profile<T>(
        &self,
        property: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, ConfigError> {
        let Some((profile, text)) = self
            .profile
            .and_then(|profile| Some((profile, profile.get(property)?)))
        else {
            return Ok(None);
        };
        let parsed = parse(text).map_err(|problem| profile.error(property, &problem));
        parsed.map(Some)
    }
}

fn endpoint(text: &str) -> Result<Endpoint, String> {
    Endpoint::new(text).map_err(|error| match error {
        // The URL is not repeated: there may be a password in it.
        EndpointError::Url { reason } => format!("cannot be used: {reason}"),
        error => format!("cannot be used: {error}"),
    })
}

fn check_region(text: &str) -> Result<String, String> {
    match crate::client::endpoint::check_region(text) {
        Ok(()) => Ok(text.to_owned()),
        Err(_) => Err(format!(
            "is {}; a region is made of lower-case letters, digits and hyphens, as in us-east-1",
            shown(text)
        )),
    }
}

/// A value in an error, of which a person needs to see no more than the beginning.
fn shown(text: &str) -> String {
    const SHOWN: usize = 64;
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{:?}…", &text[..at]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests;
