"""What a test with the fixture looks like. The clock is moved, so nothing sleeps."""

import json
import urllib.request


def advance(endpoint, seconds):
    """Moves the queues' time forward."""
    body = json.dumps({"seconds": seconds}).encode()
    urllib.request.urlopen(f"{endpoint}/_fake/clock/advance", data=body, timeout=60).close()


def test_a_message_that_is_not_deleted_comes_back(sqs, fake_sqs):
    url = sqs.create_queue(QueueName="orders")["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody="hello")
    assert sqs.receive_message(QueueUrl=url)["Messages"][0]["Body"] == "hello"
    assert "Messages" not in sqs.receive_message(QueueUrl=url)
    advance(fake_sqs, 30)
    assert sqs.receive_message(QueueUrl=url)["Messages"][0]["Body"] == "hello"


def test_every_test_begins_with_nothing(sqs):
    assert "QueueUrls" not in sqs.list_queues()
