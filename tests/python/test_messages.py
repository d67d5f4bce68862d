"""Messages: send, receive, hide, delete, one by one and in batches."""

import threading
import time

import pytest

import digests
from conftest import ACCOUNT
from server import BOUND_SECONDS

ATTRIBUTES = {
    "color": {"DataType": "String", "StringValue": "blue"},
    "count": {"DataType": "Number", "StringValue": "3"},
    "blob": {"DataType": "Binary", "BinaryValue": b"\x01\x02\x03"},
    "picture": {"DataType": "Binary.gif", "BinaryValue": b"\x00\xff"},
    "when": {"DataType": "Number.java.lang.Long", "StringValue": "1493147359900"},
    "note": {"DataType": "String.custom", "StringValue": "héllo ☃ 😀"},
}
TRACE = {
    "AWSTraceHeader": {
        "DataType": "String",
        "StringValue": "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1",
    }
}


def receive_one(sqs, queue, **more):
    messages = sqs.receive_message(QueueUrl=queue, **more).get("Messages", [])
    assert len(messages) == 1, messages
    return messages[0]


def test_the_digests_here_are_amazons():
    """Values that Amazon's own service answered."""
    assert digests.of_body("hello") == "5d41402abc4b2a76b9719d911017c592"
    three = {name: ATTRIBUTES[name] for name in ("color", "count", "blob")}
    assert digests.of_attributes(three) == "d838729972a4b70e2d2acd9d59ac847c"
    assert digests.of_attributes(TRACE) == "5ae4d5d7636402d80f4eb6d213245a88"


def test_round_trip(sqs, queue):
    sent = sqs.send_message(QueueUrl=queue, MessageBody="hello")
    assert sent["MD5OfMessageBody"] == "5d41402abc4b2a76b9719d911017c592"
    assert "MD5OfMessageAttributes" not in sent
    assert "SequenceNumber" not in sent

    message = receive_one(sqs, queue)
    assert set(message) == {"MessageId", "ReceiptHandle", "MD5OfBody", "Body"}
    assert message["MessageId"] == sent["MessageId"]
    assert message["Body"] == "hello"
    assert message["MD5OfBody"] == sent["MD5OfMessageBody"]

    # It is in flight now.
    assert "Messages" not in sqs.receive_message(QueueUrl=queue)
    deleted = sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
    assert deleted["ResponseMetadata"]["HTTPStatusCode"] == 200
    # A second delete is no error.
    sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])


@pytest.mark.parametrize(
    "body",
    [
        "héllo ☃ 😀",
        "tab\tline\nreturn\r",
        '{"json": "in \\"json\\""}',
        "\ud7ff\ue000\ufffd\U00010000\U0010ffff",
        "x" * 1048576,
    ],
    ids=["unicode", "white space", "json", "edges of the allowed characters", "1 MiB"],
)
def test_bodies_come_back_as_sent(sqs, queue, body):
    sent = sqs.send_message(QueueUrl=queue, MessageBody=body)
    message = receive_one(sqs, queue)
    assert message["Body"] == body
    assert sent["MD5OfMessageBody"] == message["MD5OfBody"] == digests.of_body(body)


def test_attributes_come_back_as_sent(sqs, queue):
    sent = sqs.send_message(
        QueueUrl=queue,
        MessageBody="with attributes",
        MessageAttributes=ATTRIBUTES,
        MessageSystemAttributes=TRACE,
    )
    assert sent["MD5OfMessageAttributes"] == digests.of_attributes(ATTRIBUTES)
    assert sent["MD5OfMessageSystemAttributes"] == digests.of_attributes(TRACE)

    message = receive_one(
        sqs, queue, MessageAttributeNames=["All"], MessageSystemAttributeNames=["AWSTraceHeader"]
    )
    assert message["MessageAttributes"] == ATTRIBUTES
    assert message["MD5OfMessageAttributes"] == sent["MD5OfMessageAttributes"]
    assert message["Attributes"] == {"AWSTraceHeader": TRACE["AWSTraceHeader"]["StringValue"]}


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        (["color"], ["color"]),
        (["co.*"], ["color", "count"]),
        ([".*"], sorted(ATTRIBUTES)),
        (["missing", "picture"], ["picture"]),
        (["Color"], []),
        ([], []),
    ],
)
def test_only_attributes_that_are_asked_for(sqs, queue, wanted, names):
    sqs.send_message(QueueUrl=queue, MessageBody="a", MessageAttributes=ATTRIBUTES)
    message = receive_one(sqs, queue, MessageAttributeNames=wanted)
    selected = {name: ATTRIBUTES[name] for name in names}
    assert message.get("MessageAttributes", {}) == selected
    if names:
        assert message["MD5OfMessageAttributes"] == digests.of_attributes(selected)
    else:
        assert "MD5OfMessageAttributes" not in message


@pytest.mark.parametrize("parameter", ["AttributeNames", "MessageSystemAttributeNames"])
def test_system_attributes(server, sqs, queue, parameter):
    # By the server's clock, which a stall at its start may have set a moment behind the machine's.
    before = server.control("GET", "clock")["now"]
    sqs.send_message(QueueUrl=queue, MessageBody="a")
    message = receive_one(sqs, queue, **{parameter: ["All"]})
    after = server.control("GET", "clock")["now"]

    attributes = message["Attributes"]
    sent = int(attributes.pop("SentTimestamp"))
    received = int(attributes.pop("ApproximateFirstReceiveTimestamp"))
    assert before <= sent <= received <= after
    assert attributes == {"SenderId": ACCOUNT, "ApproximateReceiveCount": "1"}


def test_batch_with_partial_failure(sqs, queue):
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"MaximumMessageSize": "1024"})
    answer = sqs.send_message_batch(
        QueueUrl=queue,
        Entries=[
            {"Id": "good", "MessageBody": "one", "MessageAttributes": ATTRIBUTES},
            {"Id": "long", "MessageBody": "x" * 1025},
            {"Id": "control", "MessageBody": "bell \x07"},
            {"Id": "late", "MessageBody": "two", "DelaySeconds": 901},
            {"Id": "also-good", "MessageBody": "three"},
        ],
    )
    good = {entry["Id"]: entry for entry in answer["Successful"]}
    assert set(good) == {"good", "also-good"}
    assert good["good"]["MD5OfMessageBody"] == digests.of_body("one")
    assert good["good"]["MD5OfMessageAttributes"] == digests.of_attributes(ATTRIBUTES)
    assert "MD5OfMessageAttributes" not in good["also-good"]

    failed = {entry.pop("Id"): entry for entry in answer["Failed"]}
    assert failed["long"] == {
        "SenderFault": True,
        "Code": "InvalidParameterValue",
        "Message": "One or more parameters cannot be validated. "
        "Reason: Message must be shorter than 1024 bytes.",
    }
    assert failed["late"] == {
        "SenderFault": True,
        "Code": "InvalidParameterValue",
        "Message": "Value 901 for parameter DelaySeconds is invalid. "
        "Reason: DelaySeconds must be >= 0 and <= 900.",
    }
    assert failed["control"]["Code"] == "InvalidMessageContents"
    assert failed["control"]["SenderFault"] is True
    assert set(failed) == {"long", "late", "control"}

    received = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10)["Messages"]
    ids = {message["MessageId"]: message["Body"] for message in received}
    assert ids == {good["good"]["MessageId"]: "one", good["also-good"]["MessageId"]: "three"}


def test_batch_without_failure_has_no_failed_member(sqs, queue):
    entries = [{"Id": str(n), "MessageBody": f"body {n}"} for n in range(10)]
    answer = sqs.send_message_batch(QueueUrl=queue, Entries=entries)
    assert [entry["Id"] for entry in answer["Successful"]] == [str(n) for n in range(10)]
    assert "Failed" not in answer


def test_delete_and_change_in_batches(sqs, queue):
    entries = [{"Id": str(n), "MessageBody": f"body {n}"} for n in range(3)]
    sqs.send_message_batch(QueueUrl=queue, Entries=entries)
    received = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10)["Messages"]
    assert len(received) == 3
    handles = [message["ReceiptHandle"] for message in received]

    changed = sqs.change_message_visibility_batch(
        QueueUrl=queue,
        Entries=[
            {"Id": "free", "ReceiptHandle": handles[0], "VisibilityTimeout": 0},
            {"Id": "bad", "ReceiptHandle": "no handle", "VisibilityTimeout": 0},
            {"Id": "far", "ReceiptHandle": handles[1], "VisibilityTimeout": 43201},
        ],
    )
    assert changed["Successful"] == [{"Id": "free"}]
    codes = {entry["Id"]: (entry["Code"], entry["SenderFault"]) for entry in changed["Failed"]}
    assert codes == {
        "bad": ("ReceiptHandleIsInvalid", True),
        "far": ("InvalidParameterValue", True),
    }
    assert receive_one(sqs, queue)["MessageId"] == received[0]["MessageId"]

    deleted = sqs.delete_message_batch(
        QueueUrl=queue,
        Entries=[
            {"Id": "one", "ReceiptHandle": handles[1]},
            {"Id": "bad", "ReceiptHandle": "no handle"},
            {"Id": "two", "ReceiptHandle": handles[2]},
        ],
    )
    assert deleted["Successful"] == [{"Id": "one"}, {"Id": "two"}]
    (failed,) = deleted["Failed"]
    assert (failed["Id"], failed["Code"], failed["SenderFault"]) == (
        "bad",
        "ReceiptHandleIsInvalid",
        True,
    )
    counts = sqs.get_queue_attributes(
        QueueUrl=queue, AttributeNames=["ApproximateNumberOfMessagesNotVisible"]
    )
    assert counts["Attributes"] == {"ApproximateNumberOfMessagesNotVisible": "1"}


def test_long_poll_is_woken_by_a_send(server, connect, sqs, queue, background):
    client = connect()
    leaves = threading.Event()
    client.meta.events.register("before-send.sqs.ReceiveMessage", lambda **_: leaves.set())
    # It is the message that ends the poll, since the time stands.
    with server.frozen():
        poll = background(receive_one, client, queue, WaitTimeSeconds=20)
        assert leaves.wait(timeout=BOUND_SECONDS)
        sent = sqs.send_message(QueueUrl=queue, MessageBody="woken")
        assert poll.result(timeout=BOUND_SECONDS)["MessageId"] == sent["MessageId"]


def test_long_poll_waits_for_a_delay_to_end(server, sqs, queue):
    with server.frozen():
        sent = sqs.send_message(QueueUrl=queue, MessageBody="later", DelaySeconds=1)
        assert "Messages" not in sqs.receive_message(QueueUrl=queue)
    message = receive_one(sqs, queue, WaitTimeSeconds=10)
    assert message["MessageId"] == sent["MessageId"]


def test_long_poll_waits_for_a_visibility_timeout_to_end(sqs, queue):
    sqs.send_message(QueueUrl=queue, MessageBody="again")
    first = receive_one(sqs, queue, VisibilityTimeout=1)
    second = receive_one(
        sqs, queue, WaitTimeSeconds=10, MessageSystemAttributeNames=["ApproximateReceiveCount"]
    )
    assert second["MessageId"] == first["MessageId"]
    assert second["ReceiptHandle"] != first["ReceiptHandle"]
    assert second["Attributes"] == {"ApproximateReceiveCount": "2"}


def test_long_poll_of_an_empty_queue_ends_empty(sqs, queue):
    started = time.monotonic()
    assert "Messages" not in sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=1)
    assert time.monotonic() - started >= 1


def test_change_visibility(sqs, queue):
    sqs.send_message(QueueUrl=queue, MessageBody="hidden")
    message = receive_one(sqs, queue)
    assert "Messages" not in sqs.receive_message(QueueUrl=queue)

    sqs.change_message_visibility(
        QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0
    )
    again = receive_one(sqs, queue, VisibilityTimeout=0)
    assert again["MessageId"] == message["MessageId"]

    # Visible again, yet its handle can hide it.
    sqs.change_message_visibility(
        QueueUrl=queue, ReceiptHandle=again["ReceiptHandle"], VisibilityTimeout=600
    )
    assert "Messages" not in sqs.receive_message(QueueUrl=queue)
