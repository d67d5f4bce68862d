"""Celery sends tasks to fake-sqs, and real workers run them."""

import time

import botocore.exceptions
import kombu
import pytest
from kombu.asynchronous import Hub, set_event_loop
from vine import promise

import tasks
from server import BOUND_SECONDS

# How often the file with a result is looked for, in seconds.
LOOK_EVERY = 0.05


def send(app, name, *arguments, **options):
    return app.send_task(name, arguments, **options)


def result(task):
    return task.get(timeout=BOUND_SECONDS, interval=LOOK_EVERY)


def counts(sqs, url):
    """How many messages are visible and how many are in flight."""
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
    return [int(attributes[name]) for name in names]


def assert_all_is_acknowledged(sqs, url):
    """A worker may acknowledge a task a moment after its result is there."""
    deadline = time.monotonic() + BOUND_SECONDS
    while counts(sqs, url) != [0, 0]:
        assert time.monotonic() < deadline, counts(sqs, url)


def test_tasks_run_and_are_acknowledged(sqs, settings, worker):
    settings = settings(visibility_timeout=77)
    app = tasks.make(settings)
    sums = [send(app, "add", n, 1) for n in range(12)]
    words = send(app, "add", "h\u00e9llo <&> ", "\u2603 \U0001f600\r\n")
    long = send(app, "add", "x" * 200_000, "y")
    tried = send(app, "stumble")
    worker(settings)
    assert [result(task) for task in sums] == list(range(1, 13))
    assert result(words) == "h\u00e9llo <&> \u2603 \U0001f600\r\n"
    assert result(long) == "x" * 200_000 + "y"
    assert result(tried) == 1

    url = sqs.get_queue_url(QueueName=settings["task_default_queue"])["QueueUrl"]
    assert_all_is_acknowledged(sqs, url)
    names = ["VisibilityTimeout"]
    attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
    assert attributes == {"VisibilityTimeout": "77"}, "the queue is made as the options say"


def test_a_fifo_queue_runs_tasks_in_their_order(settings, worker, tmp_path):
    settings = settings()
    fifo = settings["task_default_queue"] + ".fifo"
    app = tasks.make(settings)
    lines = [f"line {n}" for n in range(5)]
    for line in lines:
        last = send(app, "note", str(tmp_path / "notes"), line, queue=fifo, MessageGroupId="g")
    worker(settings, fifo)
    result(last)
    assert (tmp_path / "notes").read_text().splitlines() == lines


def test_predefined_queues(sqs, settings, worker):
    settings = settings()
    name = settings["task_default_queue"]
    url = sqs.create_queue(QueueName="made-by-somebody-else")["QueueUrl"]
    settings["broker_transport_options"]["predefined_queues"] = {
        name: {"url": url, "access_key_id": "test", "secret_access_key": "test"}
    }
    # Nobody looks at the broker's own key when each queue has one.
    settings["broker_url"] = settings["broker_url"].replace("test:test", "none:none")
    app = tasks.make(settings)
    task = send(app, "add", 2, 3)
    assert counts(sqs, url) == [1, 0]
    worker(settings)
    assert result(task) == 5
    assert_all_is_acknowledged(sqs, url)


def test_a_wrong_secret_is_refused(settings):
    app = tasks.make(settings(secret="wrong"))
    with pytest.raises(botocore.exceptions.ClientError) as raised:
        send(app, "add", 1, 1, retry=False)
    assert raised.value.response["Error"]["Code"] == "SignatureDoesNotMatch"


def test_kombu_alone(settings):
    """A simple queue of Kombu, which waits in the foreground."""
    settings = settings(wait_time_seconds=5)
    with kombu.Connection(
        settings["broker_url"], transport_options=settings["broker_transport_options"]
    ) as connection:
        queue = connection.SimpleQueue(settings["task_default_queue"])
        for n in range(3):
            queue.put({"n": n})
        assert queue.qsize() == 3
        message = queue.get(timeout=BOUND_SECONDS)
        assert message.payload == {"n": 0}
        message.ack()
        queue.clear()
        assert queue.qsize() == 0
        queue.close()


def test_kombu_in_the_background(sqs, settings):
    """What Kombu writes by hand: forms to a queue's path, and in Query a presigned GET too."""
    settings = settings(wait_time_seconds=0)
    url = sqs.create_queue(QueueName=settings["task_default_queue"])["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody="one")
    hub = Hub()
    set_event_loop(hub)
    try:
        with kombu.Connection(
            settings["broker_url"], transport_options=settings["broker_transport_options"]
        ) as connection:
            asynchronous = connection.default_channel.asynsqs()

            def wait(call, *arguments):
                answers = []
                call(*arguments, callback=promise(answers.append))
                deadline = time.monotonic() + BOUND_SECONDS
                while not answers:
                    assert time.monotonic() < deadline
                    hub.run_once()
                return answers[0]

            received = wait(asynchronous.receive_message, settings["task_default_queue"], url)
            [message] = received["Messages"]
            assert message["Body"] == "one"
            assert counts(sqs, url) == [0, 1]
            assert wait(asynchronous.delete_message, url, message["ReceiptHandle"]) == 200
            assert counts(sqs, url) == [0, 0]
    finally:
        set_event_loop(None)
        hub.close()
