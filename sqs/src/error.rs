//! The one table of the errors that SQS answers with: shape, query code, status, fault, namespace.
//!
//! SQS names each error twice. The JSON protocol's `__type` carries the *shape*
//! (`QueueDoesNotExist`); the header `x-amzn-query-error`, and the `Code` of a failed batch entry,
//! carry the *query code* that the older Query protocol had
//! (`AWS.SimpleQueueService.NonExistentQueue`). Programs match on either, so both are here, and
//! each leads back to the row.
//!
//! Sources: the errors listed on each operation's page of the [API reference], the list of
//! [common errors], and, for the codes and statuses of SQS's own shapes, AWS's published
//! [service model]. Rows whose namespace is [`Namespace::Coral`] come from the framework that AWS's
//! services stand on and are in no model; they are as SQS answers on the wire.
//!
//! [API reference]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_Operations.html
//! [common errors]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html
//! [service model]: https://github.com/aws/api-models-aws/tree/main/models/sqs

use std::fmt;

/// Whose mistake an error is, and so whether sending the same request again can help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The request's. The statuses are 4xx.
    Sender,
    /// The service's. The statuses are 5xx.
    Receiver,
}

impl Fault {
    /// `Sender` or `Receiver`, as in the header `x-amzn-query-error`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Fault::Sender => "Sender",
            Fault::Receiver => "Receiver",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Where a shape is defined; the part of `__type` before the `#`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Namespace {
    /// SQS's own model.
    Sqs,
    /// The framework below it, which checks parameters, signatures and the protocol.
    Coral,
}

impl Namespace {
    /// `com.amazonaws.sqs` or `com.amazon.coral.service`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Namespace::Sqs => "com.amazonaws.sqs",
            Namespace::Coral => "com.amazon.coral.service",
        }
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// One row of the table; `name` is the shape's.
struct Row {
    name: &'static str,
    shape_id: &'static str,
    query_code: &'static str,
    status: u16,
    fault: Fault,
    namespace: Namespace,
}

/// Writes [`ErrorCode`] and its rows from one list, so that neither can lack what the other has.
macro_rules! error_table {
    ($(
        $(#[$doc:meta])*
        $shape:ident $query_code:literal $status:literal $fault:ident $namespace:ident;
    )+) => {
        /// An error that SQS answers with, named by its shape.
        ///
        /// ```
        /// use sqs::{ErrorCode, Fault};
        ///
        /// let code = ErrorCode::QueueDoesNotExist;
        /// assert_eq!(code.name(), "QueueDoesNotExist");
        /// assert_eq!(code.query_code(), "AWS.SimpleQueueService.NonExistentQueue");
        /// assert_eq!(code.shape_id(), "com.amazonaws.sqs#QueueDoesNotExist");
        /// assert_eq!((code.status(), code.fault()), (400, Fault::Sender));
        /// ```
        ///
        /// AWS adds errors without changing the version of its API, so a `match` needs a last arm.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum ErrorCode {
            $(
                $(#[$doc])*
                #[doc = concat!(
                    "\n\nQuery code `", $query_code, "`, status ", stringify!($status), "."
                )]
                $shape,
            )+
        }

        impl ErrorCode {
            /// Every error, in the table's order.
            pub const ALL: &[ErrorCode] = &[$(ErrorCode::$shape),+];
        }

        const ROWS: &[Row] = &[$(
            Row {
                name: stringify!($shape),
                shape_id: error_table!(@shape_id $namespace $shape),
                query_code: $query_code,
                status: $status,
                fault: Fault::$fault,
                namespace: Namespace::$namespace,
            },
        )+];
    };
    (@shape_id Sqs $shape:ident) => { concat!("com.amazonaws.sqs#", stringify!($shape)) };
    (@shape_id Coral $shape:ident) => { concat!("com.amazon.coral.service#", stringify!($shape)) };
}

error_table! {
    // SQS's own errors, as its model lists them.

    /// Two entries of a batch have the same `Id`. Listed for each batch operation.
    BatchEntryIdsNotDistinct "AWS.SimpleQueueService.BatchEntryIdsNotDistinct" 400 Sender Sqs;
    /// The entries of a batch are together longer than
    /// [`limits::BATCH_SIZE`](crate::limits::BATCH_SIZE). Listed for SendMessageBatch.
    BatchRequestTooLong "AWS.SimpleQueueService.BatchRequestTooLong" 400 Sender Sqs;
    /// A batch without entries. Listed for each batch operation.
    EmptyBatchRequest "AWS.SimpleQueueService.EmptyBatchRequest" 400 Sender Sqs;
    /// The queue's address does not belong to this endpoint. Listed for every operation.
    InvalidAddress "InvalidAddress" 404 Sender Sqs;
    /// An attribute that does not exist, cannot be set, or does not apply to this kind of queue.
    /// Listed for CreateQueue, GetQueueAttributes and SetQueueAttributes.
    InvalidAttributeName "InvalidAttributeName" 400 Sender Sqs;
    /// An attribute's value is malformed or out of its range. Listed for CreateQueue and
    /// SetQueueAttributes.
    InvalidAttributeValue "InvalidAttributeValue" 400 Sender Sqs;
    /// A batch entry's `Id` has forbidden characters, is empty or is too long. Listed for each
    /// batch operation.
    InvalidBatchEntryId "AWS.SimpleQueueService.InvalidBatchEntryId" 400 Sender Sqs;
    /// The receipt handle is not for this version of it. Listed for DeleteMessage, deprecated by
    /// AWS.
    InvalidIdFormat "InvalidIdFormat" 400 Sender Sqs;
    /// The body has a character that XML forbids. Listed for SendMessage.
    InvalidMessageContents "InvalidMessageContents" 400 Sender Sqs;
    /// The request did not come by HTTPS, or was not signed with Signature Version 4. Listed for
    /// every operation.
    InvalidSecurity "InvalidSecurity" 403 Sender Sqs;
    /// KMS does not let the caller use the queue's key. Listed for sends and ReceiveMessage.
    KmsAccessDenied "KMS.AccessDeniedException" 400 Sender Sqs;
    /// The queue's key is disabled. Listed for sends and ReceiveMessage.
    KmsDisabled "KMS.DisabledException" 400 Sender Sqs;
    /// The queue's key is not one for encryption. Listed for sends and ReceiveMessage.
    KmsInvalidKeyUsage "KMS.InvalidKeyUsageException" 400 Sender Sqs;
    /// The queue's key is in a state that does not allow the call. Listed for sends and
    /// ReceiveMessage.
    KmsInvalidState "KMS.InvalidStateException" 400 Sender Sqs;
    /// The queue's key does not exist. Listed for sends and ReceiveMessage.
    KmsNotFound "KMS.NotFoundException" 400 Sender Sqs;
    /// The account has not subscribed to KMS. Listed for sends and ReceiveMessage.
    KmsOptInRequired "KMS.OptInRequired" 403 Sender Sqs;
    /// KMS limits the rate of calls. Listed for sends and ReceiveMessage.
    KmsThrottled "KMS.ThrottlingException" 400 Sender Sqs;
    /// The message is not in flight. Listed for ChangeMessageVisibility.
    MessageNotInflight "AWS.SimpleQueueService.MessageNotInflight" 400 Sender Sqs;
    /// A limit is reached: messages in flight, statements of a policy, or actions of one. Listed
    /// for ReceiveMessage, AddPermission and SetQueueAttributes.
    OverLimit "OverLimit" 403 Sender Sqs;
    /// The queue was purged less than
    /// [60 seconds](crate::limits::PURGE_INTERVAL_SECONDS) ago. Listed for PurgeQueue.
    PurgeQueueInProgress "AWS.SimpleQueueService.PurgeQueueInProgress" 403 Sender Sqs;
    /// A queue of this name was deleted less than
    /// [60 seconds](crate::limits::RECREATION_INTERVAL_SECONDS) ago. Listed for CreateQueue.
    QueueDeletedRecently "AWS.SimpleQueueService.QueueDeletedRecently" 400 Sender Sqs;
    /// No such queue, or no queue named at all. Listed for every operation that takes a queue.
    QueueDoesNotExist "AWS.SimpleQueueService.NonExistentQueue" 400 Sender Sqs;
    /// A queue of this name exists with other attributes or tags. Listed for CreateQueue.
    QueueNameExists "QueueAlreadyExists" 400 Sender Sqs;
    /// The receipt handle cannot be read. Listed for DeleteMessage and ChangeMessageVisibility.
    ReceiptHandleIsInvalid "ReceiptHandleIsInvalid" 404 Sender Sqs;
    /// The account sends too many requests. Listed for every operation.
    RequestThrottled "RequestThrottled" 403 Sender Sqs;
    /// A queue or a task that a move names does not exist. Listed for StartMessageMoveTask,
    /// ListMessageMoveTasks and CancelMessageMoveTask.
    ResourceNotFoundException "ResourceNotFoundException" 404 Sender Sqs;
    /// More entries than [`limits::BATCH_ENTRIES`](crate::limits::BATCH_ENTRIES). Listed for each
    /// batch operation.
    TooManyEntriesInBatchRequest "AWS.SimpleQueueService.TooManyEntriesInBatchRequest" 400 Sender Sqs;
    /// The operation, or what it was asked for, is not supported. Listed for every operation.
    UnsupportedOperation "AWS.SimpleQueueService.UnsupportedOperation" 400 Sender Sqs;

    // Parameters, checked below the service.

    /// A parameter's value is wrong. Common to all operations.
    InvalidParameterValueException "InvalidParameterValue" 400 Sender Coral;
    /// A required parameter is absent, or is empty where that counts as absent. Common to all
    /// operations.
    MissingRequiredParameterException "MissingParameter" 400 Sender Coral;

    // Who calls, and whether the signature proves it.

    /// The request has no signature at all, or the caller may not do this. SQS serves anonymous
    /// callers where a policy allows it, so a missing signature is this error and not
    /// MissingAuthenticationToken. Common to all operations.
    AccessDeniedException "AccessDenied" 403 Sender Coral;
    /// The session token has expired. Common to all operations. SQS's own answer was never
    /// recorded; the shape is the one of AWS's other JSON services.
    ExpiredTokenException "ExpiredToken" 403 Sender Coral;
    /// The `Authorization` header lacks a part or cannot be read. Common to all operations.
    IncompleteSignatureException "IncompleteSignature" 400 Sender Coral;
    /// The signature is not that of the request, its time is out of the allowed window, or its
    /// scope is not the service's. Common to all operations.
    InvalidSignatureException "SignatureDoesNotMatch" 403 Sender Coral;
    /// No such access key, or a session token that is not the key's. Common to all operations.
    UnrecognizedClientException "InvalidClientTokenId" 403 Sender Coral;

    // The protocol.

    /// Something failed inside the service. Common to all operations.
    InternalFailure "InternalFailure" 500 Receiver Coral;
    /// The body is not JSON, is not an object, or has a member of the wrong type.
    SerializationException "MalformedInput" 400 Sender Coral;
    /// The `X-Amz-Target`, or in the Query protocol the `Action`, names no operation of the service.
    UnknownOperationException "InvalidAction" 400 Sender Coral;

    // The older Query protocol alone. It has codes and no shapes, so the names are the codes.

    /// A parameter's name contradicts that of another one. From the list of common errors of the
    /// API's version 2011-10-01.
    ConflictingQueryParameter "ConflictingQueryParameter" 400 Sender Coral;
    /// There is no `Action`. From the list of common errors.
    MissingAction "MissingAction" 400 Sender Coral;
    /// The `Version` is not one of the API. From the list of common errors of the API's version
    /// 2011-10-01.
    NoSuchVersion "NoSuchVersion" 400 Sender Coral;
}

impl ErrorCode {
    /// The shape's name, as in `__type` after the `#`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The error's name in the Query protocol, as in the header `x-amzn-query-error` and in a
    /// failed batch entry.
    #[must_use]
    pub fn query_code(self) -> &'static str {
        self.row().query_code
    }

    /// The HTTP status of the response.
    #[must_use]
    pub fn status(self) -> u16 {
        self.row().status
    }

    /// Whose mistake it is.
    #[must_use]
    pub fn fault(self) -> Fault {
        self.row().fault
    }

    /// Where the shape is defined.
    #[must_use]
    pub fn namespace(self) -> Namespace {
        self.row().namespace
    }

    /// The whole `__type`: namespace, `#`, name.
    #[must_use]
    pub fn shape_id(self) -> &'static str {
        self.row().shape_id
    }

    /// The error of this shape; none for a name that is not in the table. Case counts.
    ///
    /// ```
    /// use sqs::ErrorCode;
    ///
    /// assert_eq!(ErrorCode::from_name("OverLimit"), Some(ErrorCode::OverLimit));
    /// assert_eq!(ErrorCode::from_name("overlimit"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<ErrorCode> {
        ErrorCode::ALL
            .iter()
            .copied()
            .find(|code| code.name() == name)
    }

    /// The error with this query code; none for a code that is not in the table. Case counts.
    ///
    /// ```
    /// use sqs::ErrorCode;
    ///
    /// let code = ErrorCode::from_query_code("QueueAlreadyExists");
    /// assert_eq!(code, Some(ErrorCode::QueueNameExists));
    /// ```
    #[must_use]
    pub fn from_query_code(query_code: &str) -> Option<ErrorCode> {
        ErrorCode::ALL
            .iter()
            .copied()
            .find(|code| code.query_code() == query_code)
    }

    fn row(self) -> &'static Row {
        // The enum and the rows are written by one macro, in one order.
        &ROWS[self as usize]
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// An error as SQS answers it: which one, and the sentence that goes with it.
///
/// ```
/// use sqs::{Error, ErrorCode};
///
/// let error = Error::new(ErrorCode::QueueDoesNotExist, "The specified queue does not exist.");
/// assert_eq!(error.code(), ErrorCode::QueueDoesNotExist);
/// assert_eq!(error.to_string(), "QueueDoesNotExist: The specified queue does not exist.");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: ErrorCode,
    message: String,
}

impl Error {
    /// This error, with these words.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Error {
        Error {
            code,
            message: message.into(),
        }
    }

    /// Which error it is.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// What went wrong, in AWS's words where they are known.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The words, owned.
    #[must_use]
    pub fn into_message(self) -> String {
        self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The error shapes of AWS's model with its query codes and statuses, typed from the model and
    /// not from the table above, in the model's order.
    const MODEL: [(&str, &str, u16); 28] = [
        (
            "BatchEntryIdsNotDistinct",
            "AWS.SimpleQueueService.BatchEntryIdsNotDistinct",
            400,
        ),
        (
            "BatchRequestTooLong",
            "AWS.SimpleQueueService.BatchRequestTooLong",
            400,
        ),
        (
            "EmptyBatchRequest",
            "AWS.SimpleQueueService.EmptyBatchRequest",
            400,
        ),
        ("InvalidAddress", "InvalidAddress", 404),
        ("InvalidAttributeName", "InvalidAttributeName", 400),
        ("InvalidAttributeValue", "InvalidAttributeValue", 400),
        (
            "InvalidBatchEntryId",
            "AWS.SimpleQueueService.InvalidBatchEntryId",
            400,
        ),
        ("InvalidIdFormat", "InvalidIdFormat", 400),
        ("InvalidMessageContents", "InvalidMessageContents", 400),
        ("InvalidSecurity", "InvalidSecurity", 403),
        ("KmsAccessDenied", "KMS.AccessDeniedException", 400),
        ("KmsDisabled", "KMS.DisabledException", 400),
        ("KmsInvalidKeyUsage", "KMS.InvalidKeyUsageException", 400),
        ("KmsInvalidState", "KMS.InvalidStateException", 400),
        ("KmsNotFound", "KMS.NotFoundException", 400),
        ("KmsOptInRequired", "KMS.OptInRequired", 403),
        ("KmsThrottled", "KMS.ThrottlingException", 400),
        (
            "MessageNotInflight",
            "AWS.SimpleQueueService.MessageNotInflight",
            400,
        ),
        ("OverLimit", "OverLimit", 403),
        (
            "PurgeQueueInProgress",
            "AWS.SimpleQueueService.PurgeQueueInProgress",
            403,
        ),
        (
            "QueueDeletedRecently",
            "AWS.SimpleQueueService.QueueDeletedRecently",
            400,
        ),
        (
            "QueueDoesNotExist",
            "AWS.SimpleQueueService.NonExistentQueue",
            400,
        ),
        ("QueueNameExists", "QueueAlreadyExists", 400),
        ("ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", 404),
        ("RequestThrottled", "RequestThrottled", 403),
        (
            "ResourceNotFoundException",
            "ResourceNotFoundException",
            404,
        ),
        (
            "TooManyEntriesInBatchRequest",
            "AWS.SimpleQueueService.TooManyEntriesInBatchRequest",
            400,
        ),
        (
            "UnsupportedOperation",
            "AWS.SimpleQueueService.UnsupportedOperation",
            400,
        ),
    ];

    /// The errors from below the service, as SQS answers on the wire; the last three as AWS's lists
    /// of common errors have them.
    const FRAMEWORK: [(&str, &str, u16); 13] = [
        (
            "InvalidParameterValueException",
            "InvalidParameterValue",
            400,
        ),
        ("MissingRequiredParameterException", "MissingParameter", 400),
        ("AccessDeniedException", "AccessDenied", 403),
        ("UnrecognizedClientException", "InvalidClientTokenId", 403),
        ("ExpiredTokenException", "ExpiredToken", 403),
        ("InvalidSignatureException", "SignatureDoesNotMatch", 403),
        ("IncompleteSignatureException", "IncompleteSignature", 400),
        ("UnknownOperationException", "InvalidAction", 400),
        ("SerializationException", "MalformedInput", 400),
        ("InternalFailure", "InternalFailure", 500),
        (
            "ConflictingQueryParameter",
            "ConflictingQueryParameter",
            400,
        ),
        ("MissingAction", "MissingAction", 400),
        ("NoSuchVersion", "NoSuchVersion", 400),
    ];

    fn assert_rows(rows: &[(&str, &str, u16)], namespace: Namespace) {
        for (name, query_code, status) in rows {
            let code = ErrorCode::from_name(name).unwrap_or_else(|| panic!("no row for {name}"));
            assert_eq!(code.query_code(), *query_code, "{name}");
            assert_eq!(code.status(), *status, "{name}");
            assert_eq!(code.namespace(), namespace, "{name}");
        }
        let in_table = ErrorCode::ALL
            .iter()
            .filter(|code| code.namespace() == namespace)
            .count();
        assert_eq!(
            in_table,
            rows.len(),
            "the table has a {namespace} row that the list lacks"
        );
    }

    #[test]
    fn modelled_errors_are_those_of_the_model() {
        assert_rows(&MODEL, Namespace::Sqs);
    }

    #[test]
    fn framework_errors_are_those_seen_on_the_wire() {
        assert_rows(&FRAMEWORK, Namespace::Coral);
    }

    #[test]
    fn both_names_lead_back_to_the_row() {
        for code in ErrorCode::ALL.iter().copied() {
            assert_eq!(ErrorCode::from_name(code.name()), Some(code));
            assert_eq!(ErrorCode::from_query_code(code.query_code()), Some(code));
            assert_eq!(
                format!("{code:?}"),
                code.name(),
                "enum and row are out of step"
            );
        }
    }

    #[test]
    fn names_and_query_codes_are_unique() {
        let names: BTreeSet<_> = ErrorCode::ALL.iter().map(|code| code.name()).collect();
        let codes: BTreeSet<_> = ErrorCode::ALL
            .iter()
            .map(|code| code.query_code())
            .collect();
        assert_eq!(names.len(), ErrorCode::ALL.len());
        assert_eq!(codes.len(), ErrorCode::ALL.len());
        assert_eq!(ROWS.len(), ErrorCode::ALL.len());
    }

    #[test]
    fn names_that_are_not_in_the_table_are_none() {
        for name in [
            "",
            "queueDoesNotExist",
            "com.amazonaws.sqs#QueueDoesNotExist",
            "Unknown",
        ] {
            assert_eq!(ErrorCode::from_name(name), None, "{name}");
            assert_eq!(ErrorCode::from_query_code(name), None, "{name}");
        }
        // Each kind of name is looked for among its own kind only.
        assert_eq!(
            ErrorCode::from_name("AWS.SimpleQueueService.NonExistentQueue"),
            None
        );
        assert_eq!(ErrorCode::from_query_code("QueueDoesNotExist"), None);
    }

    #[test]
    fn the_fault_follows_the_status() {
        for code in ErrorCode::ALL {
            let by_status = match code.status() {
                400..=499 => Fault::Sender,
                500..=599 => Fault::Receiver,
                other => panic!("{code} has status {other}"),
            };
            assert_eq!(code.fault(), by_status, "{code}");
        }
    }

    #[test]
    fn the_shape_id_is_namespace_and_name() {
        for code in ErrorCode::ALL {
            assert_eq!(
                code.shape_id(),
                format!("{}#{}", code.namespace(), code.name())
            );
        }
        assert_eq!(
            ErrorCode::OverLimit.shape_id(),
            "com.amazonaws.sqs#OverLimit"
        );
        assert_eq!(
            ErrorCode::InternalFailure.shape_id(),
            "com.amazon.coral.service#InternalFailure"
        );
    }
}
