"""A fake-sqs server for pytest. Copy this file into your tests; it needs boto3 and nothing else.

    def test_orders(sqs):
        url = sqs.create_queue(QueueName="orders")["QueueUrl"]
        sqs.send_message(QueueUrl=url, MessageBody="hello")

The binary is found on the PATH, or by FAKE_SQS_BIN.
"""

import os
import shutil
import subprocess
import urllib.request

import boto3
import pytest

PREFIX = "fake-sqs listening on "


@pytest.fixture(scope="session")
def fake_sqs():
    """The endpoint of a server on a free port, which stops when the tests are over."""
    binary = os.environ.get("FAKE_SQS_BIN") or shutil.which("fake-sqs")
    if not binary:
        pytest.fail("fake-sqs is not on the PATH, and FAKE_SQS_BIN does not name it")
    process = subprocess.Popen(
        # --relaxed: a queue's name is free again as soon as the queue is deleted.
        [binary, "--listen", "127.0.0.1:0", "--log", "warn", "--relaxed"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        # The first line is out when the port accepts; a server that ends instead gives an empty one.
        line = process.stdout.readline().strip()
        if not line.startswith(PREFIX):
            pytest.fail(f"fake-sqs did not start: {line!r}")
        yield line.removeprefix(PREFIX)
    finally:
        process.terminate()
        process.communicate(timeout=60)


@pytest.fixture
def sqs(fake_sqs):
    """A client of an empty server: what tests leave behind is forgotten before the next one."""
    reset = urllib.request.Request(f"{fake_sqs}/_fake/reset", method="POST")
    urllib.request.urlopen(reset, timeout=60).close()
    return boto3.client(
        "sqs",
        endpoint_url=fake_sqs,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        # One that is left in the environment would be sent along, and refused.
        aws_session_token=None,
    )
