//! What SQS usually says with each error.

use sqs::ErrorCode;

/// The text of an error that is made on purpose, where nobody gave one. Where AWS's text names
/// something of the request, this one names it in general.
pub(super) fn usual(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::BatchEntryIdsNotDistinct => "Id repeated.",
        ErrorCode::BatchRequestTooLong => "Batch requests cannot be longer than 1048576 bytes.",
        ErrorCode::EmptyBatchRequest => "There should be at least one entry in the request.",
        ErrorCode::InvalidAddress => "The address is not valid for this endpoint.",
        ErrorCode::InvalidAttributeName => "Unknown Attribute.",
        ErrorCode::InvalidAttributeValue => "Invalid value for the parameter.",
        ErrorCode::InvalidBatchEntryId => {
            "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It \
             can be at most 80 letters long."
        }
        ErrorCode::InvalidIdFormat => "The receipt handle is not valid for the current version.",
        ErrorCode::InvalidMessageContents => {
            "Invalid characters were found in the message body, the set of allowed characters is \
             #x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | [#x10000-#x10FFFF]."
        }
        ErrorCode::InvalidSecurity => {
            "The request was not made over HTTPS or did not use SigV4 for signing."
        }
        ErrorCode::KmsAccessDenied => "The caller may not use the queue's KMS key.",
        ErrorCode::KmsDisabled => "The queue's KMS key is disabled.",
        ErrorCode::KmsInvalidKeyUsage => "The queue's KMS key is not for encryption.",
        ErrorCode::KmsInvalidState => "The state of the queue's KMS key does not allow the call.",
        ErrorCode::KmsNotFound => "The queue's KMS key does not exist.",
        ErrorCode::KmsOptInRequired => "The account has not subscribed to KMS.",
        ErrorCode::KmsThrottled => "KMS limits the rate of the calls.",
        ErrorCode::MessageNotInflight => "The message is not in flight.",
        ErrorCode::OverLimit => {
            "Too many messages have been received without being deleted.\nPlease delete your \
             received messages or let them timeout before receiving more."
        }
        ErrorCode::PurgeQueueInProgress => {
            "Only one PurgeQueue operation is allowed every 60 seconds."
        }
        ErrorCode::QueueDeletedRecently => {
            "You must wait 60 seconds after deleting a queue before you can create another with the \
             same name."
        }
        ErrorCode::QueueDoesNotExist => "The specified queue does not exist.",
        ErrorCode::QueueNameExists => {
            "A queue already exists with the same name and a different value for attribute \
             VisibilityTimeout"
        }
        ErrorCode::ReceiptHandleIsInvalid => {
            "The input receipt handle is not a valid receipt handle."
        }
        ErrorCode::RequestThrottled => "Request is throttled.",
        ErrorCode::ResourceNotFoundException => {
            "The resource that you specified for the SourceArn parameter doesn't exist."
        }
        ErrorCode::TooManyEntriesInBatchRequest => {
            "Maximum number of entries per request are 10. You have sent 11."
        }
        ErrorCode::UnsupportedOperation => "Unsupported operation.",
        ErrorCode::InvalidParameterValueException => "A value of the request is invalid.",
        ErrorCode::MissingRequiredParameterException => {
            "The request must contain a parameter that it does not contain."
        }
        ErrorCode::AccessDeniedException => "Access to the resource is denied.",
        ErrorCode::ExpiredTokenException => "The security token included in the request is expired",
        ErrorCode::IncompleteSignatureException => {
            "The request signature does not conform to AWS standards."
        }
        ErrorCode::InvalidSignatureException => {
            "The request signature we calculated does not match the signature you provided. Check \
             your AWS Secret Access Key and signing method. Consult the service documentation for \
             details."
        }
        ErrorCode::UnrecognizedClientException => {
            "The security token included in the request is invalid."
        }
        ErrorCode::InternalFailure => {
            "The request processing has failed because of an unknown error, exception or failure."
        }
        ErrorCode::SerializationException => "The request could not be read.",
        ErrorCode::UnknownOperationException => "The operation is not one of SQS's.",
        ErrorCode::ConflictingQueryParameter => {
            "A query parameter is invalid. Its structure conflicts with that of another parameter."
        }
        ErrorCode::MissingAction => "The request must contain the parameter Action.",
        ErrorCode::NoSuchVersion => "The requested version is not valid.",
        // The table is a list of AWS's, which grows.
        _ => "The request failed.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_of_the_table_has_a_text_of_its_own() {
        let mut texts: Vec<_> = ErrorCode::ALL.iter().map(|code| usual(*code)).collect();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), ErrorCode::ALL.len());
        assert!(!texts.contains(&"The request failed."));
    }
}
