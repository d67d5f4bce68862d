"""Queues: create, find, list, describe, change, delete."""

import pytest

from conftest import ACCOUNT, REGION
from server import BOUND_SECONDS

ALWAYS = {
    "ApproximateNumberOfMessages": "0",
    "ApproximateNumberOfMessagesDelayed": "0",
    "ApproximateNumberOfMessagesNotVisible": "0",
    "DelaySeconds": "0",
    "MaximumMessageSize": "1048576",
    "MessageRetentionPeriod": "345600",
    "ReceiveMessageWaitTimeSeconds": "0",
    "VisibilityTimeout": "30",
    "SqsManagedSseEnabled": "true",
}


def test_create_answers_a_url_on_this_server(sqs, server, queue_name):
    url = sqs.create_queue(QueueName=queue_name)["QueueUrl"]
    assert url == f"{server.endpoint_url}/{ACCOUNT}/{queue_name}"
    assert sqs.get_queue_url(QueueName=queue_name)["QueueUrl"] == url


def test_create_again_answers_the_same_queue(sqs, queue_name):
    first = sqs.create_queue(QueueName=queue_name, Attributes={"VisibilityTimeout": "7"})
    assert sqs.create_queue(QueueName=queue_name)["QueueUrl"] == first["QueueUrl"]
    again = sqs.create_queue(QueueName=queue_name, Attributes={"VisibilityTimeout": "7"})
    assert again["QueueUrl"] == first["QueueUrl"]


def test_all_attributes_of_a_new_queue(sqs, queue, queue_name):
    attributes = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["All"])["Attributes"]
    created = attributes.pop("CreatedTimestamp")
    assert attributes.pop("LastModifiedTimestamp") == created
    assert len(created) == 10 and created.isdigit(), "seconds since 1970"
    assert attributes.pop("QueueArn") == f"arn:aws:sqs:{REGION}:{ACCOUNT}:{queue_name}"
    assert attributes == ALWAYS


def test_no_attribute_names_no_attributes(sqs, queue):
    assert "Attributes" not in sqs.get_queue_attributes(QueueUrl=queue)


def test_set_attributes(sqs, queue):
    sqs.set_queue_attributes(
        QueueUrl=queue, Attributes={"VisibilityTimeout": "0", "MaximumMessageSize": "1024"}
    )
    names = ["VisibilityTimeout", "MaximumMessageSize", "DelaySeconds"]
    attributes = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=names)["Attributes"]
    assert attributes == {
        "VisibilityTimeout": "0",
        "MaximumMessageSize": "1024",
        "DelaySeconds": "0",
    }


def test_list_by_prefix_and_page(sqs, queue_name):
    urls = [
        sqs.create_queue(QueueName=f"{queue_name}-{letter}")["QueueUrl"] for letter in "abc"
    ]
    listed = sqs.list_queues(QueueNamePrefix=queue_name)
    assert sorted(listed["QueueUrls"]) == urls
    assert "NextToken" not in listed

    pages = sqs.get_paginator("list_queues").paginate(
        QueueNamePrefix=queue_name, PaginationConfig={"PageSize": 2}
    )
    pages = [page["QueueUrls"] for page in pages]
    assert [len(page) for page in pages] == [2, 1]
    assert sorted(url for page in pages for url in page) == urls


def test_list_without_a_match_has_no_member(sqs):
    assert "QueueUrls" not in sqs.list_queues(QueueNamePrefix="no-queue-is-called-this")


def test_regions_are_apart(connect, sqs, queue, queue_name):
    elsewhere = connect(region="eu-central-1")
    with pytest.raises(elsewhere.exceptions.QueueDoesNotExist):
        elsewhere.get_queue_url(QueueName=queue_name)
    url = elsewhere.create_queue(QueueName=queue_name)["QueueUrl"]
    arn = elsewhere.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
    assert arn["Attributes"]["QueueArn"] == f"arn:aws:sqs:eu-central-1:{ACCOUNT}:{queue_name}"


def test_delete(sqs, queue, queue_name):
    sqs.delete_queue(QueueUrl=queue)
    for call in (
        lambda: sqs.get_queue_url(QueueName=queue_name),
        lambda: sqs.send_message(QueueUrl=queue, MessageBody="late"),
        lambda: sqs.receive_message(QueueUrl=queue),
        lambda: sqs.delete_queue(QueueUrl=queue),
    ):
        with pytest.raises(sqs.exceptions.QueueDoesNotExist):
            call()


def test_delete_ends_a_long_poll(connect, sqs, queue, background):
    """Nobody waits 20 seconds for a message of a queue that is gone."""
    client = connect()
    poll = background(client.receive_message, QueueUrl=queue, WaitTimeSeconds=20)
    sqs.delete_queue(QueueUrl=queue)
    with pytest.raises(client.exceptions.QueueDoesNotExist):
        poll.result(timeout=BOUND_SECONDS)


def test_purge(sqs, queue):
    sqs.send_message(QueueUrl=queue, MessageBody="visible")
    sqs.send_message(QueueUrl=queue, MessageBody="in flight")
    sqs.send_message(QueueUrl=queue, MessageBody="delayed", DelaySeconds=900)
    (received,) = sqs.receive_message(QueueUrl=queue)["Messages"]

    answer = sqs.purge_queue(QueueUrl=queue)
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 200

    counters = [name for name in ALWAYS if name.startswith("Approximate")]
    counts = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=counters)["Attributes"]
    assert set(counts.values()) == {"0"}
    # The handle of a message that is gone is still a good handle.
    sqs.delete_message(QueueUrl=queue, ReceiptHandle=received["ReceiptHandle"])

    sqs.send_message(QueueUrl=queue, MessageBody="after")
    (left,) = sqs.receive_message(QueueUrl=queue)["Messages"]
    assert left["Body"] == "after"
