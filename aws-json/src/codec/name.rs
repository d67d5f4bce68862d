//! AWS's names and their lower_snake_case spellings.

/// The operation's name in AWS's UpperCamelCase, from lower_snake_case.
///
/// Each underscore goes and the letter after it becomes a capital. A name without underscores
/// keeps its letters after the first, so AWS's own spelling passes unchanged; use that for an
/// operation with a run of capitals (`ListMFADevices`), which snake case cannot tell.
///
/// ```
/// use aws_json::codec::name::upper_camel;
///
/// assert_eq!(upper_camel("receive_message"), "ReceiveMessage");
/// assert_eq!(upper_camel("ReceiveMessage"), "ReceiveMessage");
/// ```
#[must_use]
pub fn upper_camel(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    for word in name.split('_') {
        let mut letters = word.chars();
        if let Some(first) = letters.next() {
            camel.push(first.to_ascii_uppercase());
            camel.push_str(letters.as_str());
        }
    }
    camel
}

/// AWS's name in lower_snake_case.
///
/// A word begins at a capital after a lower-case letter or a digit. A run of capitals is one
/// word, except that its last capital begins the next word when a lower-case letter follows.
/// Digits belong to the word before them. Whatever is neither letter nor digit separates words.
///
/// ```
/// use aws_json::codec::name::snake;
///
/// assert_eq!(snake("QueueDoesNotExist"), "queue_does_not_exist");
/// assert_eq!(snake("DBInstanceNotFound"), "db_instance_not_found");
/// assert_eq!(snake("MD5OfBody"), "md5_of_body");
/// ```
#[must_use]
pub fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 8);
    let mut before: Option<char> = None;
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        if !letter.is_alphanumeric() {
            before = None;
            continue;
        }
        let begins_word = match before {
            Some(_) if !letter.is_uppercase() => false,
            Some(before) if before.is_uppercase() => {
                letters.peek().is_some_and(|after| after.is_lowercase())
            }
            Some(_) | None => true,
        };
        if begins_word && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
        before = Some(letter);
    }
    snake
}

/// The bare name within an error's type as it comes over the wire.
///
/// What follows the first comma or colon goes (a server may append a URL), then what precedes
/// the first `#` (the namespace). What is left may be empty.
///
/// ```
/// use aws_json::codec::name::bare;
///
/// assert_eq!(bare("com.amazonaws.sqs#QueueDoesNotExist"), "QueueDoesNotExist");
/// assert_eq!(bare("FooError:http://internal.amazon.com/coral/"), "FooError");
/// ```
#[must_use]
pub fn bare(error_type: &str) -> &str {
    let cut = error_type.split([',', ':']).next().unwrap_or_default();
    cut.split_once('#').map_or(cut, |(_, name)| name).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snake_becomes_camel() {
        for (snake, camel) in [
            ("receive_message", "ReceiveMessage"),
            ("get_queue_url", "GetQueueUrl"),
            (
                "change_message_visibility_batch",
                "ChangeMessageVisibilityBatch",
            ),
            ("ListMFADevices", "ListMFADevices"),
            ("listQueues", "ListQueues"),
            ("__list__queues_", "ListQueues"),
            ("put_2_items", "Put2Items"),
            ("", ""),
            ("élan_vital", "élanVital"),
        ] {
            assert_eq!(upper_camel(snake), camel);
        }
    }

    #[test]
    fn camel_becomes_snake() {
        for (camel, expected) in [
            ("QueueDoesNotExist", "queue_does_not_exist"),
            ("KmsOptInRequired", "kms_opt_in_required"),
            ("DBInstanceNotFound", "db_instance_not_found"),
            ("EC2ThrottledException", "ec2_throttled_exception"),
            ("RequestThrottled", "request_throttled"),
            ("InvalidKMSKey", "invalid_kms_key"),
            ("MD5OfBody", "md5_of_body"),
            ("Route53", "route53"),
            ("IAM", "iam"),
            ("A", "a"),
            ("ABTest", "ab_test"),
            ("already_snake", "already_snake"),
            (
                "AWS.SimpleQueueService.NonExistentQueue",
                "aws_simple_queue_service_non_existent_queue",
            ),
            ("KMS.ThrottlingException", "kms_throttling_exception"),
            ("Two  Words-here", "two_words_here"),
            ("_Foo_", "foo"),
            ("", ""),
        ] {
            assert_eq!(snake(camel), expected);
        }
    }

    #[test]
    fn every_snake_name_of_a_plain_camel_name_comes_back() {
        for name in ["SendMessageBatch", "StartMessageMoveTask", "UntagQueue"] {
            assert_eq!(upper_camel(&snake(name)), name);
        }
    }

    #[test]
    fn an_error_type_is_cut_to_its_bare_name() {
        for (raw, expected) in [
            ("FooError", "FooError"),
            (
                "FooError:http://internal.amazon.com/coral/com.amazon.coral.validate/",
                "FooError",
            ),
            ("aws.protocoltests.restjson#FooError", "FooError"),
            (
                "aws.protocoltests.restjson#FooError:http://internal.amazon.com/a#b",
                "FooError",
            ),
            ("FooError,http://x", "FooError"),
            (" FooError ", "FooError"),
            ("a#", ""),
            (":x", ""),
            ("", ""),
        ] {
            assert_eq!(bare(raw), expected);
        }
    }
}
