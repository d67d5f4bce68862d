use super::*;

fn environment() -> Environment {
    Environment::from_iter([("HOME", "/home/me")])
}

/// The profiles of a configuration file and a credentials file, written a line a property.
fn written(config: &str, credentials: &str) -> Vec<String> {
    let environment = environment()
        .file("/home/me/.aws/config", config)
        .file("/home/me/.aws/credentials", credentials);
    let profiles = Profiles::load(&environment).unwrap();
    let mut lines = Vec::new();
    for profile in profiles.all() {
        lines.push(format!("[{}]", profile.name()));
        lines.extend(
            profile
                .properties()
                .map(|(name, value)| format!("{name}={value}")),
        );
    }
    lines
}

fn refused(config: &str) -> String {
    let environment = environment().file("/home/me/.aws/config", config);
    let error = Profiles::load(&environment).unwrap_err().to_string();
    let place = "/home/me/.aws/config, line ";
    error.strip_prefix(place).unwrap_or(&error).to_owned()
}

#[test]
fn a_profile_is_what_both_files_say_of_it() {
    assert_eq!(
        written(
            "[profile a]\nx = 1\ny = 1\n[default]\nx = 2\n[profile a]\nz = 1\n[b]\nx = 3\n",
            "[a]\ny = 2\n[default]\ny = 4\n[profile c]\nx = 5\n[d]\n",
        ),
        ["[a]", "x=1", "y=2", "z=1", "[d]", "[default]", "x=2", "y=4"]
    );
}

#[test]
fn a_default_with_the_word_profile_hides_one_without() {
    let expected = ["[default]", "a=1", "b=2", "c=4"];
    let bare = "[default]\na = 3\nd = 3\n";
    for config in [
        format!("[profile default]\na = 1\n{bare}[profile default]\nb = 2\n"),
        format!("{bare}[profile default]\na = 1\nb = 2\n"),
    ] {
        assert_eq!(written(&config, "[default]\nc = 4\n"), expected);
    }
}

#[test]
fn blanks_comments_and_continuations() {
    assert_eq!(
        written(
            "\u{feff}# c\n; c\n[ profile\ta-b ] # c\r\n\r\nName =  a = b; # c\r\n \t\n\
             long = one ; c\n  two # kept\n\tthree\nnested =\n a = 1\n  # c\n b c =\n\
             in valid = 1\n  -dropped\nurl = http://x/#y\n[profile empty];\n[sso-session s]\nq = 1\n\
             [nonsense]\nq = 1\n[profile a b]\nq = 2\n",
            "",
        ),
        [
            "[a-b]",
            "long=one\ntwo # kept\nthree",
            "name=a = b;",
            "nested=\na = 1\nb c =",
            "url=http://x/#y",
            "[empty]",
        ]
    );
}

#[test]
fn what_is_not_in_the_format_is_an_error_with_its_line() {
    let no_profile = "Expected a profile definition, as in [default], before anything else";
    for (config, error) in [
        ("a = b", format!("1: {no_profile}")),
        ("\n a", format!("2: {no_profile}")),
        (
            "[a\nx = 1",
            "1: Profile definition must end with ']', as in [default]".to_owned(),
        ),
        (
            "[a # ]",
            "1: Profile definition must end with ']', as in [default]".to_owned(),
        ),
        (
            "[default]\n x = 1",
            "2: Expected a property definition, found continuation: a line that begins with \
             blanks goes on with the one before"
                .to_owned(),
        ),
        (
            "[default]\n\nx : 1",
            "3: Expected an '=' sign defining a property, as in name = value".to_owned(),
        ),
        (
            "[default]\n = 1",
            "2: Expected a property definition, found continuation: a line that begins with \
             blanks goes on with the one before"
                .to_owned(),
        ),
        (
            "[default]\n= 1",
            "2: Property did not have a name before its '='".to_owned(),
        ),
        (
            "[default]\nx =\n y",
            "3: Expected an '=' sign defining a sub-property, as in name = value".to_owned(),
        ),
        (
            "[default]\nx =\n = y",
            "3: Sub-property did not have a name before its '='".to_owned(),
        ),
    ] {
        assert_eq!(refused(config), error, "{config:?}");
    }
}

#[test]
fn files_are_where_the_variables_say() {
    let environment = Environment::from_iter([
        ("HOME", "/home/me"),
        ("AWS_CONFIG_FILE", "~/config"),
        ("AWS_SHARED_CREDENTIALS_FILE", "/etc/credentials"),
        ("AWS_PROFILE", "dev"),
    ])
    .file(
        "/home/me/config",
        "[profile dev]\na = 1\n[sso-session s]\nb = 2\n",
    )
    .file("/home/me/.aws/config", "not read")
    .file("/etc/credentials", "[dev]\nc = 3\n");
    let profiles = Profiles::load(&environment).unwrap();
    let dev = profiles.selected().unwrap();
    assert_eq!(
        (dev.get("a"), dev.get("c"), dev.get("d")),
        (Some("1"), Some("3"), None)
    );
    assert_eq!(profiles.sso_session("s").unwrap().get("b"), Some("2"));
    assert!(profiles.profile("default").is_none());

    // Files that are not there, and no place for any.
    for environment in [
        environment
            .set("AWS_PROFILE", "")
            .set("HOME", "/else")
            .set("AWS_SHARED_CREDENTIALS_FILE", ""),
        Environment::from_iter([("A", "b")]),
    ] {
        let profiles = Profiles::load(&environment).unwrap();
        assert!(profiles.selected().is_none());
        assert_eq!(profiles.all().count(), 0);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let environment = environment().file("/home/me/.aws/credentials", b"[default]\n\xff");
    assert_eq!(
        Profiles::load(&environment).unwrap_err().to_string(),
        "/home/me/.aws/credentials: is not UTF-8 at byte 10"
    );
    let environment = environment.file("/home/me/.aws/credentials", vec![b'\n'; 2_000_000]);
    assert_eq!(
        Profiles::load(&environment).unwrap_err().to_string(),
        "/home/me/.aws/credentials: is larger than 1048576 bytes"
    );
}

#[test]
fn debug_and_errors_show_no_value() {
    let environment = environment().file(
        "/home/me/.aws/credentials",
        "[default]\naws_secret_access_key = hush\n",
    );
    let profiles = Profiles::load(&environment).unwrap();
    let debug = format!("{profiles:?}");
    assert!(debug.contains("aws_secret_access_key"), "{debug}");
    assert!(!debug.contains("hush"), "{debug}");
    let default = profiles.selected().unwrap();
    assert_eq!(
        default
            .error("aws_secret_access_key", "cannot be used")
            .to_string(),
        "/home/me/.aws/credentials, line 2: aws_secret_access_key cannot be used"
    );
    assert_eq!(
        default.error("region", "must be set").to_string(),
        "the profile default has no region: it must be set"
    );
    // A secret whose line is out of form is not repeated either.
    let environment = environment.file("/home/me/.aws/credentials", "[default]\nsecret hush\n");
    assert!(
        !Profiles::load(&environment)
            .unwrap_err()
            .to_string()
            .contains("hush")
    );
}

proptest::proptest! {
    /// Whatever a file holds, it is read or refused with a line that it has.
    #[test]
    fn any_text_is_read_or_refused(text in "([\\[\\]a-z=#; \t\r\né]|\\[profile |\\[default\\]\n){0,60}") {
        let environment = environment()
            .file("/home/me/.aws/config", text.clone())
            .file("/home/me/.aws/credentials", text.clone());
        match Profiles::load(&environment) {
            Ok(profiles) => {
                for profile in profiles.all() {
                    proptest::prop_assert!(is_name(profile.name()));
                    for (name, value) in profile.properties() {
                        proptest::prop_assert!(is_name(name) && !value.ends_with([' ', '\t']));
                    }
                }
            }
            Err(error) => {
                let error = error.to_string();
                let line = error.split_once(", line ").and_then(|(_, rest)| rest.split_once(':'));
                let line: usize = line.unwrap().0.parse().unwrap();
                proptest::prop_assert!((1..=text.lines().count()).contains(&line), "{error}");
            }
        }
    }
}
