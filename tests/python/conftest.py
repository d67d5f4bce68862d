"""What every test here starts from: one server, clients for it, a queue of its own."""

import concurrent.futures
import re
import uuid

import boto3
import botocore.config
import pytest

import wire
from server import BOUND_SECONDS, FakeSqs

REGION = "us-east-1"
ACCOUNT = "000000000000"
KEY = "test"
SECRET = "test"


@pytest.fixture(scope="session", autouse=True)
def no_settings_from_outside():
    """Keeps a developer's own AWS profile and instance metadata out of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_CONFIG_FILE", "/nonexistent")
        patch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        for name in (
            "AWS_PROFILE",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "AWS_ENDPOINT_URL",
            "AWS_ENDPOINT_URL_SQS",
        ):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="session")
def server(no_settings_from_outside, tmp_path_factory):
    """The server of the whole run; it must also end well."""
    running = FakeSqs(tmp_path_factory.mktemp("server") / "log")
    yield running
    assert running.stop() == 0, f"SIGTERM ends it with status 0; its log:\n{running.log()}"


@pytest.fixture(scope="session")
def connect(server):
    """Makes a client: ``connect(secret="other")``, ``connect(signature_version=UNSIGNED)``."""

    def make(key=KEY, secret=SECRET, region=REGION, endpoint=server.endpoint_url, **config):
        client = boto3.session.Session().client(
            "sqs",
            endpoint_url=endpoint,
            region_name=region,
            aws_access_key_id=key,
            aws_secret_access_key=secret,
            config=botocore.config.Config(
                connect_timeout=BOUND_SECONDS,
                read_timeout=BOUND_SECONDS,
                # A refusal is to be seen, not tried again; and no proxy stands before 127.0.0.1.
                retries={"total_max_attempts": 1},
                proxies={},
                **config,
            ),
        )
        return wire.adapt(client)

    return make


@pytest.fixture(scope="session")
def sqs(connect):
    """The client with the right credentials."""
    return connect()


@pytest.fixture
def queue_name(request):
    """A name that no other test uses and that says whose it is."""
    test = re.sub(r"[^A-Za-z0-9]+", "-", request.node.name).strip("-")
    return f"{test[:60]}-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def queue(sqs, queue_name):
    """The URL of a new standard queue."""
    return sqs.create_queue(QueueName=queue_name)["QueueUrl"]


@pytest.fixture
def background():
    """Runs a call beside the test: ``background(f, ...)`` gives a future."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        yield pool.submit
