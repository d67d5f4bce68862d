//! Credentials in environment variables.

use super::{CredentialsError, Environment, ProvideCredentials, ProvideFuture, Provided};
use crate::client::Credentials;

/// Credentials in the variables `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, with
/// `AWS_SESSION_TOKEN` if they are temporary.
///
/// ```
/// use aws_json::client::config::Environment;
/// use aws_json::client::credentials::{EnvironmentCredentials, ProvideCredentials};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let environment = Environment::from_iter([("AWS_ACCESS_KEY_ID", "test")]);
/// let error = EnvironmentCredentials::new(&environment).provide().await.unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the variable AWS_ACCESS_KEY_ID is set and AWS_SECRET_ACCESS_KEY is not: set both"
/// );
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct EnvironmentCredentials {
    environment: Environment,
}

impl EnvironmentCredentials {
    /// The credentials of this environment.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        Self {
            environment: environment.clone(),
        }
    }

    fn read(&self) -> Result<Provided, CredentialsError> {
        let var = |name| self.environment.var(name).map_err(CredentialsError::from);
        match (var(KEY)?, var(SECRET)?) {
            (Some(key), Some(secret)) => {
                let credentials = Credentials::new(key, secret);
                Ok(Provided::new(match var("AWS_SESSION_TOKEN")? {
                    Some(token) => credentials.with_session_token(token),
                    None => credentials,
                }))
            }
            (None, None) => Err(CredentialsError::absent(format!(
                "the variables {KEY} and {SECRET} are not set"
            ))),
            (Some(_), None) => Err(half(KEY, SECRET)),
            (None, Some(_)) => Err(half(SECRET, KEY)),
        }
    }
}

impl ProvideCredentials for EnvironmentCredentials {
    fn provide(&self) -> ProvideFuture<'_> {
        Box::pin(std::future::ready(self.read()))
    }
}

const KEY: &str = "AWS_ACCESS_KEY_ID";
const SECRET: &str = "AWS_SECRET_ACCESS_KEY";

fn half(set: &str, unset: &str) -> CredentialsError {
    CredentialsError::new(format!(
        "the variable {set} is set and {unset} is not: set both"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn provided(variables: &[(&str, &str)]) -> Result<Provided, CredentialsError> {
        let environment = Environment::from_iter(variables.iter().copied());
        EnvironmentCredentials::new(&environment).provide().await
    }

    #[tokio::test]
    async fn two_or_three_variables_are_credentials_that_do_not_end() {
        let two = [(KEY, "A"), (SECRET, "S")];
        let provided_by_two = provided(&two).await.unwrap();
        assert_eq!(provided_by_two.credentials().access_key_id(), "A");
        assert!(provided_by_two.credentials().secret().matches("S"));
        assert_eq!(provided_by_two.credentials().session_token(), None);
        assert_eq!(provided_by_two.expires(), None);
        let three = [two[0], two[1], ("AWS_SESSION_TOKEN", "T")];
        let provided_by_three = provided(&three).await.unwrap();
        assert_eq!(provided_by_three.credentials().session_token(), Some("T"));
    }

    #[tokio::test]
    async fn none_is_absence_and_one_alone_a_mistake() {
        let none = provided(&[]).await.unwrap_err();
        assert!(none.is_absent());
        let text = "the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set";
        assert_eq!(none.to_string(), text);
        let one = provided(&[(SECRET, "hush"), (KEY, "")]).await.unwrap_err();
        assert!(!one.is_absent());
        assert_eq!(
            one.to_string(),
            "the variable AWS_SECRET_ACCESS_KEY is set and AWS_ACCESS_KEY_ID is not: set both"
        );
    }
}
