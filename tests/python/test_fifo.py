"""FIFO queues: order in a group, groups apart, deduplication, attempt ids, batches."""

import hashlib
import re

import botocore.exceptions
import pytest

import wire

SEQUENCE_NUMBER = re.compile(r"^\d{20}$")


@pytest.fixture
def make(sqs, queue_name):
    """Makes this test's FIFO queue: ``make(DeduplicationScope="messageGroup")``."""

    def create(**attributes):
        created = sqs.create_queue(
            QueueName=f"{queue_name}.fifo",
            Attributes={"FifoQueue": "true", **attributes},
        )
        return created["QueueUrl"]

    return create


@pytest.fixture
def fifo(make):
    """The URL of a new FIFO queue that takes a body for its deduplication id."""
    return make(ContentBasedDeduplication="true")


def receive(sqs, queue, most=10, **more):
    answer = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=most, **more)
    return answer.get("Messages", [])


def bodies(messages):
    return [message["Body"] for message in messages]


def delete(sqs, queue, message):
    sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])


def check(raised, code, message):
    """A refusal with this query code and text, from the checks below the service."""
    assert raised.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    shape = {
        "InvalidParameterValue": "InvalidParameterValueException",
        "MissingParameter": "MissingRequiredParameterException",
    }[code]
    assert raised.value.response["Error"] == wire.error(shape, code, message)


def test_attributes(sqs, make):
    queue = make(DeduplicationScope="messageGroup", FifoThroughputLimit="perMessageGroupId")
    attributes = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["All"])["Attributes"]
    assert len(attributes) == 16, attributes
    assert attributes["FifoQueue"] == "true"
    assert attributes["ContentBasedDeduplication"] == "false"
    assert attributes["DeduplicationScope"] == "messageGroup"
    assert attributes["FifoThroughputLimit"] == "perMessageGroupId"


def test_a_group_keeps_its_order_and_waits(sqs, fifo):
    for body, group in [("a1", "a"), ("b1", "b"), ("a2", "a"), ("a3", "a")]:
        sqs.send_message(QueueUrl=fifo, MessageBody=body, MessageGroupId=group)
    [first] = receive(sqs, fifo, most=1)
    assert first["Body"] == "a1"
    assert bodies(receive(sqs, fifo)) == ["b1"], "a2 and a3 wait for a1"
    assert receive(sqs, fifo) == []
    delete(sqs, fifo, first)
    assert bodies(receive(sqs, fifo)) == ["a2", "a3"]


def test_visibility_zero_opens_the_group_from_its_head(sqs, fifo):
    for body in ["one", "two", "three"]:
        sqs.send_message(QueueUrl=fifo, MessageBody=body, MessageGroupId="g")
    first, second = receive(sqs, fifo, most=2)
    sqs.change_message_visibility(
        QueueUrl=fifo, ReceiptHandle=second["ReceiptHandle"], VisibilityTimeout=0
    )
    assert receive(sqs, fifo) == [], "the first one still is in flight"
    sqs.change_message_visibility(
        QueueUrl=fifo, ReceiptHandle=first["ReceiptHandle"], VisibilityTimeout=0
    )
    assert bodies(receive(sqs, fifo)) == ["one", "two", "three"]


def test_system_attributes(sqs, fifo):
    sent = [
        sqs.send_message(QueueUrl=fifo, MessageBody=body, MessageGroupId="g")
        for body in ["same", "other"]
    ]
    numbers = [answer["SequenceNumber"] for answer in sent]
    assert all(SEQUENCE_NUMBER.match(number) for number in numbers), numbers
    assert numbers[0] < numbers[1]
    messages = receive(sqs, fifo, MessageSystemAttributeNames=["All"])
    assert [message["Attributes"]["SequenceNumber"] for message in messages] == numbers
    assert messages[0]["Attributes"]["MessageGroupId"] == "g"
    digest = hashlib.sha256(b"same").hexdigest()
    assert messages[0]["Attributes"]["MessageDeduplicationId"] == digest


def test_a_duplicate_is_accepted_and_not_stored(sqs, make):
    queue = make()

    def send(body, group="g"):
        return sqs.send_message(
            QueueUrl=queue, MessageBody=body, MessageGroupId=group, MessageDeduplicationId="d"
        )

    first, again = send("first"), send("again", group="other")
    assert again["MessageId"] == first["MessageId"]
    # The digest is of what this call sent, or clients would refuse the answer.
    assert again["MD5OfMessageBody"] == hashlib.md5(b"again").hexdigest()
    [message] = receive(sqs, queue)
    assert message["Body"] == "first"
    delete(sqs, queue, message)
    send("third")
    assert receive(sqs, queue) == [], "a delete does not forget the id"
    sqs.purge_queue(QueueUrl=queue)
    send("fourth")
    assert bodies(receive(sqs, queue)) == ["fourth"], "a purge does"


def test_deduplication_by_group(sqs, make):
    queue = make(DeduplicationScope="messageGroup")
    for group in ["a", "b", "a"]:
        sqs.send_message(
            QueueUrl=queue, MessageBody=group, MessageGroupId=group, MessageDeduplicationId="d"
        )
    assert bodies(receive(sqs, queue)) == ["a", "b"]


def test_a_receive_is_had_again_by_its_attempt_id(sqs, fifo):
    sqs.send_message(QueueUrl=fifo, MessageBody="one", MessageGroupId="g")
    first = receive(sqs, fifo, ReceiveRequestAttemptId="attempt-1")
    assert bodies(first) == ["one"]
    assert receive(sqs, fifo, ReceiveRequestAttemptId="attempt-1") == first
    assert receive(sqs, fifo, ReceiveRequestAttemptId="attempt-2") == []
    delete(sqs, fifo, first[0])
    with pytest.raises(botocore.exceptions.ClientError) as raised:
        receive(sqs, fifo, ReceiveRequestAttemptId="attempt-1")
    check(
        raised,
        "InvalidParameterValue",
        "Value attempt-1 for parameter ReceiveRequestAttemptId is invalid. Reason: The "
        "receiveRequestAttemptId is not valid anymore since the receive call is not retryable.",
    )


def test_a_handle_whose_time_is_over_deletes_nothing(sqs, fifo):
    sqs.send_message(QueueUrl=fifo, MessageBody="one", MessageGroupId="g")
    [late] = receive(sqs, fifo, VisibilityTimeout=1)
    [again] = receive(sqs, fifo, WaitTimeSeconds=10)
    assert again["MessageId"] == late["MessageId"]
    handle = late["ReceiptHandle"]
    with pytest.raises(botocore.exceptions.ClientError) as raised:
        delete(sqs, fifo, late)
    reason = "The receipt handle has expired."
    check(
        raised,
        "InvalidParameterValue",
        f"Value {handle} for parameter ReceiptHandle is invalid. Reason: {reason}",
    )
    delete(sqs, fifo, again)


NEEDED = {
    "a group": (
        {},
        "MissingParameter",
        "The request must contain the parameter MessageGroupId.",
    ),
    "a deduplication id": (
        {"MessageGroupId": "g"},
        "InvalidParameterValue",
        "The queue should either have ContentBasedDeduplication enabled or "
        "MessageDeduplicationId provided explicitly",
    ),
    "no delay of its own": (
        {"MessageGroupId": "g", "MessageDeduplicationId": "d", "DelaySeconds": 1},
        "InvalidParameterValue",
        "Value 1 for parameter DelaySeconds is invalid. Reason: The request include parameter "
        "that is not valid for this queue type.",
    ),
}


@pytest.mark.parametrize("row", NEEDED.values(), ids=NEEDED)
def test_what_a_message_needs(sqs, make, row):
    parameters, code, message = row
    with pytest.raises(botocore.exceptions.ClientError) as raised:
        sqs.send_message(QueueUrl=make(), MessageBody="a", **parameters)
    check(raised, code, message)


def test_batches(sqs, fifo):
    def entry(id_, **more):
        return {"Id": id_, "MessageBody": id_, **more}

    with pytest.raises(botocore.exceptions.ClientError) as raised:
        sqs.send_message_batch(
            QueueUrl=fifo, Entries=[entry("a", MessageGroupId="g"), entry("b")]
        )
    # Not MissingParameter, as a single send has it.
    check(
        raised,
        "InvalidParameterValue",
        "The request must contain the parameter MessageGroupId.",
    )
    assert receive(sqs, fifo) == [], "nothing of it is stored"

    entries = [entry(id_, MessageGroupId="g") for id_ in ["a", "b", "c"]]
    entries.append({**entry("d", MessageGroupId="g"), "MessageBody": "a"})
    answer = sqs.send_message_batch(QueueUrl=fifo, Entries=entries)
    assert "Failed" not in answer
    assert [sent["Id"] for sent in answer["Successful"]] == ["a", "b", "c", "d"]
    assert all(SEQUENCE_NUMBER.match(sent["SequenceNumber"]) for sent in answer["Successful"])
    assert bodies(receive(sqs, fifo)) == ["a", "b", "c"], "d is a duplicate of a"


def test_a_group_of_a_standard_queue_locks_nothing(sqs, queue):
    for body in ["one", "two"]:
        sent = sqs.send_message(QueueUrl=queue, MessageBody=body, MessageGroupId="g")
        assert "SequenceNumber" not in sent
    [first] = receive(sqs, queue, most=1, MessageSystemAttributeNames=["MessageGroupId"])
    assert first["Attributes"] == {"MessageGroupId": "g"}
    assert bodies(receive(sqs, queue)) == ["two"]
