"""Dead-letter queues, and the tasks that move messages out of them."""

import base64
import json

import botocore.exceptions
import pytest


def arn(sqs, queue):
    answer = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])
    return answer["Attributes"]["QueueArn"]


def redrive_policy(target, receives=1):
    return json.dumps({"deadLetterTargetArn": target, "maxReceiveCount": receives})


class Pair:
    """A queue, and the dead-letter queue where its messages go after one receive."""

    def __init__(self, sqs, name, **attributes):
        self._sqs = sqs
        suffix = ".fifo" if "FifoQueue" in attributes else ""
        created = sqs.create_queue(QueueName=f"{name[:70]}-d{suffix}", Attributes=attributes)
        self.dead = created["QueueUrl"]
        self.dead_arn = arn(sqs, self.dead)
        created = sqs.create_queue(
            QueueName=f"{name[:70]}-s{suffix}",
            Attributes={**attributes, "RedrivePolicy": redrive_policy(self.dead_arn)},
        )
        self.source = created["QueueUrl"]

    def fail(self, *bodies):
        """Sends messages and receives them too often."""
        for body in bodies:
            self._sqs.send_message(QueueUrl=self.source, MessageBody=body)
        assert bodies_of(receive(self._sqs, self.source, VisibilityTimeout=0)) == list(bodies)
        assert receive(self._sqs, self.source) == []


@pytest.fixture
def pair(sqs, queue_name):
    return Pair(sqs, queue_name)


def receive(sqs, queue, **more):
    answer = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10, **more)
    return answer.get("Messages", [])


def bodies_of(messages):
    return [message["Body"] for message in messages]


def check(raised, message, code="InvalidParameterValue", status=400):
    response = raised.value.response
    assert response["Error"]["Code"] == code
    assert response["Error"]["Message"] == message
    assert response["ResponseMetadata"]["HTTPStatusCode"] == status


def test_what_a_dead_letter_keeps(sqs, pair):
    attributes = {"color": {"DataType": "String", "StringValue": "blue"}}
    sent = sqs.send_message(
        QueueUrl=pair.source, MessageBody="one", MessageAttributes=attributes
    )
    [before] = receive(sqs, pair.source, VisibilityTimeout=0, AttributeNames=["All"])
    assert receive(sqs, pair.source) == []
    [after] = receive(
        sqs, pair.dead, MessageSystemAttributeNames=["All"], MessageAttributeNames=["All"]
    )
    assert after["MessageId"] == sent["MessageId"]
    assert after["MessageAttributes"] == attributes
    assert after["MD5OfMessageAttributes"] == sent["MD5OfMessageAttributes"]
    assert after["Attributes"] == {
        **before["Attributes"],
        "ApproximateReceiveCount": "2",
        "DeadLetterQueueSourceArn": arn(sqs, pair.source),
    }


def test_fifo_dead_letters_keep_their_order(sqs, queue_name):
    pair = Pair(sqs, queue_name, FifoQueue="true", ContentBasedDeduplication="true")
    for body in ["one", "two"]:
        sqs.send_message(QueueUrl=pair.source, MessageBody=body, MessageGroupId="g")
    [one] = sqs.receive_message(QueueUrl=pair.source, VisibilityTimeout=0)["Messages"]
    [two] = sqs.receive_message(QueueUrl=pair.source)["Messages"]
    assert (one["Body"], two["Body"]) == ("one", "two"), "the group goes on without the first"
    [dead] = receive(sqs, pair.dead, MessageSystemAttributeNames=["All"])
    assert dead["Body"] == "one"
    assert dead["Attributes"]["MessageDeduplicationId"] == one["MessageId"]


def test_sources_are_listed(sqs, pair):
    answer = sqs.list_dead_letter_source_queues(QueueUrl=pair.dead)
    assert answer["queueUrls"] == [pair.source]
    pages = sqs.get_paginator("list_dead_letter_source_queues").paginate(
        QueueUrl=pair.dead, PaginationConfig={"PageSize": 1}
    )
    assert [page["queueUrls"] for page in pages] == [[pair.source]]
    assert not sqs.list_dead_letter_source_queues(QueueUrl=pair.source).get("queueUrls")


def test_the_policy_is_given_back(sqs, pair):
    sqs.set_queue_attributes(
        QueueUrl=pair.source,
        Attributes={
            "RedrivePolicy": json.dumps(
                {"maxReceiveCount": "7", "deadLetterTargetArn": pair.dead_arn}
            )
        },
    )
    answer = sqs.get_queue_attributes(QueueUrl=pair.source, AttributeNames=["RedrivePolicy"])
    assert answer["Attributes"]["RedrivePolicy"] == (
        f'{{"deadLetterTargetArn":"{pair.dead_arn}","maxReceiveCount":7}}'
    )


def test_what_a_redrive_policy_refuses(sqs, pair):
    rows = [
        (
            redrive_policy(pair.dead_arn + "-other"),
            "Dead letter target does not exist.",
        ),
        (
            redrive_policy(pair.dead_arn, 0),
            "Invalid value for maxReceiveCount: 0, valid values are from 1 to 1000 both inclusive.",
        ),
        ("{}", "Redrive policy does not contain mandatory attribute: deadLetterTargetArn."),
    ]
    for policy, reason in rows:
        with pytest.raises(botocore.exceptions.ClientError) as raised:
            sqs.set_queue_attributes(QueueUrl=pair.source, Attributes={"RedrivePolicy": policy})
        check(raised, f"Value {policy} for parameter RedrivePolicy is invalid. Reason: {reason}")


def test_a_dead_letter_queue_chooses_its_sources(sqs, pair):
    allowed = {"redrivePermission": "byQueue", "sourceQueueArns": [arn(sqs, pair.dead)]}
    sqs.set_queue_attributes(
        QueueUrl=pair.dead, Attributes={"RedriveAllowPolicy": json.dumps(allowed)}
    )
    with pytest.raises(botocore.exceptions.ClientError) as raised:
        sqs.set_queue_attributes(
            QueueUrl=pair.source, Attributes={"RedrivePolicy": redrive_policy(pair.dead_arn, 2)}
        )
    assert raised.value.response["Error"]["Code"] == "InvalidParameterValue"


def test_a_task_moves_dead_letters_back(sqs, pair):
    pair.fail("one", "two")
    sqs.start_message_move_task(SourceArn=pair.dead_arn)
    moved = []
    for _ in range(10):
        moved += receive(sqs, pair.source, WaitTimeSeconds=1)
        if len(moved) == 2:
            break
    assert bodies_of(moved) == ["one", "two"]
    # In a second of waiting the task has seen that nothing is left.
    assert receive(sqs, pair.dead, WaitTimeSeconds=1) == []
    [task] = sqs.list_message_move_tasks(SourceArn=pair.dead_arn)["Results"]
    assert isinstance(task.pop("StartedTimestamp"), int)
    assert task == {
        "Status": "COMPLETED",
        "SourceArn": pair.dead_arn,
        "ApproximateNumberOfMessagesMoved": 2,
        "ApproximateNumberOfMessagesToMove": 2,
    }


def test_a_task_runs_alone_and_is_cancelled(server, sqs, pair, queue):
    pair.fail("one", "two", "three", "four", "five")
    wanted = {
        "SourceArn": pair.dead_arn,
        "DestinationArn": arn(sqs, queue),
        "MaxNumberOfMessagesPerSecond": 1,
    }
    with server.frozen():
        handle = sqs.start_message_move_task(**wanted)["TaskHandle"]
        [task] = sqs.list_message_move_tasks(SourceArn=pair.dead_arn)["Results"]
        assert task["Status"] == "RUNNING"
        assert task["TaskHandle"] == handle
        assert task["ApproximateNumberOfMessagesToMove"] == 5
        assert {name: task[name] for name in wanted} == wanted
        with pytest.raises(botocore.exceptions.ClientError) as raised:
            sqs.start_message_move_task(SourceArn=pair.dead_arn)
        check(
            raised,
            "There is already a task running. Only one active task is allowed for a source queue "
            "arn at a given time.",
        )
        server.control("POST", "clock/advance", seconds=1)
        assert len(receive(sqs, queue)) == 1, "one comes in a second"
        cancelled = sqs.cancel_message_move_task(TaskHandle=handle)
        assert cancelled["ApproximateNumberOfMessagesMoved"] == 1
    [task] = sqs.list_message_move_tasks(SourceArn=pair.dead_arn)["Results"]
    assert (task["Status"], "TaskHandle" in task) == ("CANCELLED", False)
    with pytest.raises(botocore.exceptions.ClientError) as raised:
        sqs.cancel_message_move_task(TaskHandle=handle)
    check(raised, "Only active tasks can be cancelled.")


def test_a_message_without_a_source_fails_its_task(sqs, pair):
    sqs.send_message(QueueUrl=pair.dead, MessageBody="sent here")
    sqs.start_message_move_task(SourceArn=pair.dead_arn)
    for _ in range(10):
        [task] = sqs.list_message_move_tasks(SourceArn=pair.dead_arn)["Results"]
        if task["Status"] != "RUNNING":
            break
        receive(sqs, pair.source, WaitTimeSeconds=1)
    assert (task["Status"], task["FailureReason"]) == ("FAILED", "CouldNotDetermineMessageSource")
    assert bodies_of(receive(sqs, pair.dead)) == ["sent here"]


def test_what_a_task_names_must_exist(sqs, pair):
    other = pair.dead_arn + "-other"
    handle = {"taskId": "00000000-0000-0000-0000-000000000000", "sourceArn": pair.dead_arn}
    handle = base64.b64encode(json.dumps(handle).encode()).decode()
    no_source = "The resource that you specified for the SourceArn parameter doesn't exist."
    rows = [
        (lambda: sqs.start_message_move_task(SourceArn=other), no_source),
        (lambda: sqs.list_message_move_tasks(SourceArn=other), no_source),
        (
            lambda: sqs.start_message_move_task(SourceArn=pair.dead_arn, DestinationArn=other),
            no_source.replace("SourceArn", "DestinationArn"),
        ),
        (lambda: sqs.cancel_message_move_task(TaskHandle=handle), "Task does not exist."),
    ]
    for call, message in rows:
        with pytest.raises(sqs.exceptions.ResourceNotFoundException) as raised:
            call()
        check(raised, message, code="ResourceNotFoundException", status=404)
    with pytest.raises(botocore.exceptions.ClientError) as raised:
        sqs.start_message_move_task(SourceArn=arn(sqs, pair.source))
    check(raised, "Source queue must be configured as a Dead Letter Queue.")
