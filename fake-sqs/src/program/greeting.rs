//! What is printed once the port accepts.

use fake_sqs::{Credential, Server};

/// Where the credentials come from, and so whether their secrets may be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Secrets {
    /// It is the one that the documentation names.
    BuiltIn,
    /// Whoever started the program gave them.
    Given,
}

/// The first line is for scripts and has a fixed form; the rest is for people.
pub(crate) fn greeting(server: &Server, secrets: Secrets) -> String {
    let address = server.address();
    let endpoint = server.endpoint_url();
    let credentials = server
        .credentials()
        .iter()
        .map(|credential| described(credential, secrets));
    let credentials: String = credentials.collect();
    let example = server
        .credentials()
        .first()
        .map(|credential| example(server, credential, secrets));
    let example = example.unwrap_or_default();
    format!(
        "fake-sqs listening on http://{address}\n\
         \n\
         {credentials}  \
           every region is served; each has its own queues\n\
         \n\
         Try:\n  \
           {example}\n\
         See what is in it, in a browser:\n  \
           {endpoint}/_fake/\n\
         Forget everything, while it runs:\n  \
           curl -X POST {endpoint}/_fake/reset\n\
         Stop with Ctrl-C.\n"
    )
}

fn described(credential: &Credential, secrets: Secrets) -> String {
    let key = credential.access_key_id();
    let account = credential.account().unwrap_or_default();
    let secret = match secrets {
        Secrets::BuiltIn => credential.secret_access_key(),
        Secrets::Given => "as you gave it",
    };
    format!("  access key {key}, secret {secret}, account {account}\n")
}

/// A command that can be pasted into a shell; a secret that was given is left to be filled in.
fn example(server: &Server, credential: &Credential, secrets: Secrets) -> String {
    let (endpoint, region) = (server.endpoint_url(), server.region());
    let key = credential.access_key_id();
    let secret = match secrets {
        Secrets::BuiltIn => credential.secret_access_key(),
        Secrets::Given => "...",
    };
    format!(
        "AWS_ACCESS_KEY_ID={key} AWS_SECRET_ACCESS_KEY={secret} AWS_DEFAULT_REGION={region} \
         aws --endpoint-url {endpoint} sqs create-queue --queue-name orders"
    )
}

#[cfg(test)]
mod tests {
    use fake_sqs::FakeSqs;

    use super::*;

    #[test]
    fn the_built_in_secret_is_shown() {
        let server = FakeSqs::builder().bind().expect("a free port");
        let url = format!("http://{}", server.address());
        let expected = format!(
            "fake-sqs listening on {url}\n\
             \n  \
               access key test, secret test, account 000000000000\n  \
               every region is served; each has its own queues\n\
             \n\
             Try:\n  \
               AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_DEFAULT_REGION=us-east-1 \
               aws --endpoint-url {url} sqs create-queue --queue-name orders\n\
             See what is in it, in a browser:\n  \
               {url}/_fake/\n\
             Forget everything, while it runs:\n  \
               curl -X POST {url}/_fake/reset\n\
             Stop with Ctrl-C.\n"
        );
        assert_eq!(greeting(&server, Secrets::BuiltIn), expected);
    }

    #[test]
    fn a_secret_that_was_given_is_not() {
        let credential = |text: &str| text.parse().expect("a credential");
        let server = FakeSqs::builder()
            .credential(credential("AKIDA:hunter2"))
            .credential(credential("AKIDB:hunter3:123456789012"))
            .region("eu-west-1")
            .bind()
            .expect("a free port");
        let text = greeting(&server, Secrets::Given);
        assert!(!text.contains("hunter"), "{text}");
        for expected in [
            "access key AKIDA, secret as you gave it, account 000000000000\n",
            "access key AKIDB, secret as you gave it, account 123456789012\n",
            "AWS_ACCESS_KEY_ID=AKIDA AWS_SECRET_ACCESS_KEY=... AWS_DEFAULT_REGION=eu-west-1 aws",
        ] {
            assert!(text.contains(expected), "{text}");
        }
    }
}
