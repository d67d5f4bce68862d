"""A server, applications of Celery that have it for their broker, and workers of theirs."""

import json
import os
import signal
import subprocess
import sys
import uuid

import boto3
import pytest

import tasks
from server import BOUND_SECONDS, FakeSqs

REGION = "eu-central-1"


@pytest.fixture(scope="session", autouse=True)
def no_settings_from_outside():
    """Keeps a developer's own AWS profile and instance metadata out of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_CONFIG_FILE", "/nonexistent")
        patch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        patch.setenv("NO_PROXY", "127.0.0.1")
        for name in list(os.environ):
            if name.startswith("AWS_") and name not in (
                "AWS_CONFIG_FILE",
                "AWS_SHARED_CREDENTIALS_FILE",
                "AWS_EC2_METADATA_DISABLED",
            ):
                patch.delenv(name)
        yield


@pytest.fixture(scope="session")
def server(no_settings_from_outside, tmp_path_factory):
    """The server of the whole run; it must also end well."""
    running = FakeSqs(tmp_path_factory.mktemp("server") / "log")
    yield running
    assert running.stop() == 0, f"SIGTERM ends it with status 0; its log:\n{running.log()}"


@pytest.fixture(scope="session")
def sqs(server):
    """A client beside Celery, to look at what it did."""
    return boto3.session.Session().client(
        "sqs",
        endpoint_url=server.endpoint_url,
        region_name=REGION,
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )


@pytest.fixture
def settings(server, tmp_path):
    """Settings for Celery with a queue of the test's own: ``settings(visibility_timeout=60)``."""
    host = server.endpoint_url.removeprefix("http://")
    results = tmp_path / "results"
    results.mkdir()

    def make(secret="test", **options):
        return {
            "broker_url": f"sqs://test:{secret}@{host}",
            "broker_transport_options": {
                "region": REGION,
                "is_secure": False,
                "wait_time_seconds": 2,
                **options,
            },
            "result_backend": f"file://{results}",
            "task_default_queue": f"queue-{uuid.uuid4().hex}",
        }

    return make


@pytest.fixture
def worker(tmp_path):
    """Starts a worker with these settings: ``worker(settings, "queue.fifo")``; it ends with the test."""
    running = []

    def start(settings, *queues):
        log = tmp_path / f"worker-{len(running)}.log"
        command = [sys.executable, "-m", "celery", "--app", "tasks", "worker"]
        command += ["--pool", "solo", "--loglevel", "INFO"]
        command += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        command += ["--queues", ",".join([settings["task_default_queue"], *queues])]
        with log.open("w") as output:
            process = subprocess.Popen(
                command,
                cwd=os.path.dirname(tasks.__file__),
                env={**os.environ, "SETTINGS": json.dumps(settings), "PYTHONDONTWRITEBYTECODE": "1"},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        running.append((process, log))

    yield start
    for process, _ in running:
        process.send_signal(signal.SIGTERM)
    for process, log in running:
        try:
            status = process.wait(BOUND_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(BOUND_SECONDS)
            raise AssertionError(f"SIGTERM does not end the worker; its log:\n{log.read_text()}")
        assert status == 0, f"SIGTERM ends the worker with status 0; its log:\n{log.read_text()}"
