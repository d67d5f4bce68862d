"""Every error that the server raises here comes as boto3's own exception class."""

import re

import botocore.exceptions
import pytest

import wire

REQUEST_ID = re.compile(r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
TOO_LONG = "x" * 524289


def check(raised, *, shape, code, message, status=400):
    """An error as boto3 shows it: its names, its text and its response."""
    response = raised.value.response
    assert response["Error"] == wire.error(shape, code, message)
    metadata = response["ResponseMetadata"]
    headers = metadata["HTTPHeaders"]
    assert metadata["HTTPStatusCode"] == status
    assert REQUEST_ID.match(metadata["RequestId"]), metadata["RequestId"]
    assert headers["content-type"] == wire.CONTENT_TYPE
    special = {name: headers[name] for name in headers if name == "x-amzn-query-error"}
    assert special == wire.error_headers(code)


def entries(*ids):
    return [{"Id": id_, "MessageBody": "a"} for id_ in ids]


# Each row: what is called, its exception class, and (without the class's name repeated)
# the query code, the text, the status.
MODELLED = {
    "queue does not exist": (
        lambda sqs, url, name: sqs.send_message(QueueUrl=url + "-other", MessageBody="a"),
        "QueueDoesNotExist",
        "AWS.SimpleQueueService.NonExistentQueue",
        wire.NO_SUCH_QUEUE,
        400,
    ),
    "queue url of a queue that does not exist": (
        lambda sqs, url, name: sqs.get_queue_url(QueueName=name + "-other"),
        "QueueDoesNotExist",
        "AWS.SimpleQueueService.NonExistentQueue",
        wire.NO_SUCH_QUEUE,
        400,
    ),
    "queue url that is none": (
        lambda sqs, url, name: sqs.receive_message(QueueUrl="http://[nonsense"),
        "QueueDoesNotExist",
        "AWS.SimpleQueueService.NonExistentQueue",
        wire.NO_SUCH_QUEUE,
        400,
    ),
    "same name, other attributes": (
        lambda sqs, url, name: sqs.create_queue(
            QueueName=name, Attributes={"VisibilityTimeout": "31"}
        ),
        "QueueNameExists",
        "QueueAlreadyExists",
        "A queue already exists with the same name and a different value for attribute "
        "VisibilityTimeout",
        400,
    ),
    "unknown attribute at creation": (
        lambda sqs, url, name: sqs.create_queue(
            QueueName=name + "-other", Attributes={"Colour": "blue"}
        ),
        "InvalidAttributeName",
        "InvalidAttributeName",
        "Unknown Attribute Colour.",
        400,
    ),
    "unknown attribute asked for": (
        lambda sqs, url, name: sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["Colour"]),
        "InvalidAttributeName",
        "InvalidAttributeName",
        "Unknown Attribute Colour.",
        400,
    ),
    "attribute that cannot be set": (
        lambda sqs, url, name: sqs.set_queue_attributes(
            QueueUrl=url, Attributes={"QueueArn": "arn"}
        ),
        "InvalidAttributeName",
        "InvalidAttributeName",
        "Unknown Attribute QueueArn.",
        400,
    ),
    "attribute value out of range": (
        lambda sqs, url, name: sqs.set_queue_attributes(
            QueueUrl=url, Attributes={"VisibilityTimeout": "43201"}
        ),
        "InvalidAttributeValue",
        "InvalidAttributeValue",
        "Invalid value for the parameter VisibilityTimeout.",
        400,
    ),
    "attribute value that is no number": (
        lambda sqs, url, name: sqs.create_queue(
            QueueName=name + "-other", Attributes={"DelaySeconds": "soon"}
        ),
        "InvalidAttributeValue",
        "InvalidAttributeValue",
        "Invalid value for the parameter DelaySeconds.",
        400,
    ),
    "forbidden character": (
        lambda sqs, url, name: sqs.send_message(QueueUrl=url, MessageBody="bell \x07"),
        "InvalidMessageContents",
        "InvalidMessageContents",
        "Invalid binary character '#x7' was found in the message body, the set of allowed "
        "characters is #x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | [#x10000-#x10FFFF].",
        400,
    ),
    "receipt handle that is none": (
        lambda sqs, url, name: sqs.delete_message(QueueUrl=url, ReceiptHandle="no handle"),
        "ReceiptHandleIsInvalid",
        "ReceiptHandleIsInvalid",
        'The input receipt handle "no handle" is not a valid receipt handle.',
        404,
    ),
    "receipt handle that is none, visibility": (
        lambda sqs, url, name: sqs.change_message_visibility(
            QueueUrl=url, ReceiptHandle="no handle", VisibilityTimeout=1
        ),
        "ReceiptHandleIsInvalid",
        "ReceiptHandleIsInvalid",
        'The input receipt handle "no handle" is not a valid receipt handle.',
        404,
    ),
    "eleven entries": (
        lambda sqs, url, name: sqs.send_message_batch(
            QueueUrl=url, Entries=entries(*"abcdefghijk")
        ),
        "TooManyEntriesInBatchRequest",
        "AWS.SimpleQueueService.TooManyEntriesInBatchRequest",
        "Maximum number of entries per request are 10. You have sent 11.",
        400,
    ),
    "no entry to send": (
        lambda sqs, url, name: sqs.send_message_batch(QueueUrl=url, Entries=[]),
        "EmptyBatchRequest",
        "AWS.SimpleQueueService.EmptyBatchRequest",
        "There should be at least one SendMessageBatchRequestEntry in the request.",
        400,
    ),
    "no entry to delete": (
        lambda sqs, url, name: sqs.delete_message_batch(QueueUrl=url, Entries=[]),
        "EmptyBatchRequest",
        "AWS.SimpleQueueService.EmptyBatchRequest",
        "There should be at least one DeleteMessageBatchRequestEntry in the request.",
        400,
    ),
    "no entry to change": (
        lambda sqs, url, name: sqs.change_message_visibility_batch(QueueUrl=url, Entries=[]),
        "EmptyBatchRequest",
        "AWS.SimpleQueueService.EmptyBatchRequest",
        "There should be at least one ChangeMessageVisibilityBatchRequestEntry in the request.",
        400,
    ),
    "ids twice": (
        lambda sqs, url, name: sqs.send_message_batch(
            QueueUrl=url, Entries=entries("1", "2", "2", "1")
        ),
        "BatchEntryIdsNotDistinct",
        "AWS.SimpleQueueService.BatchEntryIdsNotDistinct",
        "Id 2 repeated.",
        400,
    ),
    "bad id": (
        lambda sqs, url, name: sqs.send_message_batch(QueueUrl=url, Entries=entries("a", "b c")),
        "InvalidBatchEntryId",
        "AWS.SimpleQueueService.InvalidBatchEntryId",
        "A batch entry id can only contain alphanumeric characters, hyphens and underscores. "
        "It can be at most 80 letters long.",
        400,
    ),
    "batch too long": (
        lambda sqs, url, name: sqs.send_message_batch(
            QueueUrl=url,
            Entries=[
                {"Id": "a", "MessageBody": TOO_LONG},
                {"Id": "b", "MessageBody": TOO_LONG},
            ],
        ),
        "BatchRequestTooLong",
        "AWS.SimpleQueueService.BatchRequestTooLong",
        "Batch requests cannot be longer than 1048576 bytes. You have sent 1048578 bytes.",
        400,
    ),
    "list values": (
        lambda sqs, url, name: sqs.send_message(
            QueueUrl=url,
            MessageBody="a",
            MessageAttributes={"list": {"DataType": "String", "StringListValues": ["a"]}},
        ),
        "UnsupportedOperation",
        "AWS.SimpleQueueService.UnsupportedOperation",
        "Message attribute list values in SendMessage operation are not supported.",
        400,
    ),
}


@pytest.mark.parametrize("row", MODELLED.values(), ids=MODELLED)
def test_modelled_errors(sqs, queue, queue_name, row):
    call, shape, code, message, status = row
    with pytest.raises(wire.exception(sqs, shape)) as raised:
        call(sqs, queue, queue_name)
    check(raised, shape=shape, code=code, message=message, status=status)


def test_purge_twice(sqs, queue, queue_name):
    sqs.purge_queue(QueueUrl=queue)
    with pytest.raises(sqs.exceptions.PurgeQueueInProgress) as raised:
        sqs.purge_queue(QueueUrl=queue)
    check(
        raised,
        shape="PurgeQueueInProgress",
        code="AWS.SimpleQueueService.PurgeQueueInProgress",
        message=f"Only one PurgeQueue operation on {queue_name} is allowed every 60 seconds.",
        status=403,
    )


def test_create_soon_after_delete(sqs, queue, queue_name):
    sqs.delete_queue(QueueUrl=queue)
    with pytest.raises(sqs.exceptions.QueueDeletedRecently) as raised:
        sqs.create_queue(QueueName=queue_name)
    check(
        raised,
        shape="QueueDeletedRecently",
        code="AWS.SimpleQueueService.QueueDeletedRecently",
        message="You must wait 60 seconds after deleting a queue before you can create "
        "another with the same name.",
    )


# Errors that Amazon's model of SQS does not name: boto3 raises its ClientError.
VALIDATION = {
    "ten messages at most": (
        lambda sqs, url: sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=11),
        "InvalidParameterValue",
        "Value 11 for parameter MaxNumberOfMessages is invalid. "
        "Reason: Must be between 1 and 10, if provided.",
    ),
    "twenty seconds at most": (
        lambda sqs, url: sqs.receive_message(QueueUrl=url, WaitTimeSeconds=21),
        "InvalidParameterValue",
        "Value 21 for parameter WaitTimeSeconds is invalid. "
        "Reason: Must be >= 0 and <= 20, if provided.",
    ),
    "twelve hours at most": (
        lambda sqs, url: sqs.receive_message(QueueUrl=url, VisibilityTimeout=43201),
        "InvalidParameterValue",
        "Value 43201 for parameter VisibilityTimeout is invalid. "
        "Reason: Must be >= 0 and <= 43200, if provided.",
    ),
    "fifteen minutes at most": (
        lambda sqs, url: sqs.send_message(QueueUrl=url, MessageBody="a", DelaySeconds=901),
        "InvalidParameterValue",
        "Value 901 for parameter DelaySeconds is invalid. "
        "Reason: DelaySeconds must be >= 0 and <= 900.",
    ),
    "one mebibyte at most": (
        lambda sqs, url: sqs.send_message(QueueUrl=url, MessageBody="x" * 1048577),
        "InvalidParameterValue",
        "One or more parameters are invalid. "
        "Reason: Message must be shorter than 1048576 bytes.",
    ),
    "an empty body": (
        lambda sqs, url: sqs.send_message(QueueUrl=url, MessageBody=""),
        "MissingParameter",
        "The request must contain the parameter MessageBody.",
    ),
    "an empty handle": (
        lambda sqs, url: sqs.delete_message(QueueUrl=url, ReceiptHandle=""),
        "MissingParameter",
        "The request must contain the parameter ReceiptHandle.",
    ),
    "a number that is none": (
        lambda sqs, url: sqs.send_message(
            QueueUrl=url,
            MessageBody="a",
            MessageAttributes={"n": {"DataType": "Number", "StringValue": "many"}},
        ),
        "InvalidParameterValue",
        "Can't cast the value of message (user) attribute 'n' to a number.",
    ),
    "eleven attributes": (
        lambda sqs, url: sqs.send_message(
            QueueUrl=url,
            MessageBody="a",
            MessageAttributes={
                f"a{n}": {"DataType": "String", "StringValue": "v"} for n in range(11)
            },
        ),
        "InvalidParameterValue",
        "Number of message attributes [11] exceeds the allowed maximum [10].",
    ),
}


@pytest.mark.parametrize("row", VALIDATION.values(), ids=VALIDATION)
def test_validation_errors(sqs, queue, row):
    call, code, message = row
    with pytest.raises(botocore.exceptions.ClientError) as raised:
        call(sqs, queue)
    shape = {
        "InvalidParameterValue": "InvalidParameterValueException",
        "MissingParameter": "MissingRequiredParameterException",
    }[code]
    check(raised, shape=shape, code=code, message=message)


def test_name_of_a_queue(sqs):
    with pytest.raises(botocore.exceptions.ClientError) as raised:
        sqs.create_queue(QueueName="no spaces")
    check(
        raised,
        shape="InvalidParameterValueException",
        code="InvalidParameterValue",
        message="Can only include alphanumeric characters, hyphens, or underscores. "
        "1 to 80 in length",
    )


def test_success_has_a_request_id_and_the_content_type(sqs, queue):
    for answer in (
        sqs.receive_message(QueueUrl=queue),
        sqs.set_queue_attributes(QueueUrl=queue, Attributes={"VisibilityTimeout": "30"}),
    ):
        metadata = answer["ResponseMetadata"]
        assert metadata["HTTPStatusCode"] == 200
        assert metadata["HTTPHeaders"]["content-type"] == wire.CONTENT_TYPE
        assert "x-amzn-query-error" not in metadata["HTTPHeaders"]
        assert REQUEST_ID.match(metadata["RequestId"])
