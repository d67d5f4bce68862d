"""Each request's signature is verified: what botocore signs is accepted, all else is not."""

import datetime
import hashlib
import json
import urllib.parse

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import botocore.exceptions
import pytest
import urllib3
from botocore import UNSIGNED

from conftest import KEY, REGION, SECRET

MISMATCH = (
    "The request signature we calculated does not match the signature you provided. "
    "Check your AWS Secret Access Key and signing method. "
    "Consult the service documentation for details."
)
CREDENTIALS = botocore.credentials.Credentials(KEY, SECRET)
STAMP = "%Y%m%dT%H%M%SZ"


def now():
    return datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)


@pytest.fixture
def clock(monkeypatch):
    """Sets botocore's clock: ``clock(minutes=-16)`` signs as it was 16 minutes ago."""

    def shift(**how_far):
        signed_at = now() + datetime.timedelta(**how_far)
        monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda *_: signed_at)
        return signed_at.strftime(STAMP)

    return shift


def refusal(call, **arguments):
    """The error of a call that is refused with status 403."""
    with pytest.raises(botocore.exceptions.ClientError) as raised:
        call(**arguments)
    response = raised.value.response
    assert response["ResponseMetadata"]["HTTPStatusCode"] == 403
    error = response["Error"]
    assert error["Type"] == "Sender"
    return error["QueryErrorCode"], error["Code"], error["Message"]


def count(sqs, queue):
    names = ["ApproximateNumberOfMessages"]
    attributes = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=names)["Attributes"]
    return int(attributes[names[0]])


@pytest.mark.parametrize("secret", ["wrong", "test ", "Test"])
def test_wrong_secret(connect, secret):
    shape, code, message = refusal(connect(secret=secret).list_queues)
    assert (shape, code) == ("InvalidSignatureException", "SignatureDoesNotMatch")
    assert message.startswith(MISMATCH)


def test_unknown_key(connect):
    assert refusal(connect(key="AKIDEXAMPLE").list_queues) == (
        "UnrecognizedClientException",
        "InvalidClientTokenId",
        "The security token included in the request is invalid.",
    )


def test_no_signature(connect, sqs, queue):
    client = connect(signature_version=UNSIGNED)
    shape, code, message = refusal(client.send_message, QueueUrl=queue, MessageBody="a")
    assert (shape, code) == ("AccessDeniedException", "AccessDenied")
    assert message.startswith("Access to the resource ") and message.endswith(" is denied.")
    assert count(sqs, queue) == 0


def test_body_changed_after_signing(connect, sqs, queue):
    def replace(request, **_):
        assert b"pay alice" in request.body
        request.body = request.body.replace(b"pay alice", b"pay mallo")

    client = connect()
    client.meta.events.register("before-send.sqs.SendMessage", replace)
    shape, code, message = refusal(client.send_message, QueueUrl=queue, MessageBody="pay alice")
    assert (shape, code) == ("InvalidSignatureException", "SignatureDoesNotMatch")
    assert message.startswith(MISMATCH)
    assert count(sqs, queue) == 0


@pytest.mark.parametrize("header", ["X-Amz-Target", "Content-Type"])
def test_header_changed_after_signing(connect, queue, header):
    def replace(request, **_):
        del request.headers[header]
        request.headers[header] = {
            "X-Amz-Target": b"AmazonSQS.PurgeQueue",
            "Content-Type": b"application/x-amz-json-1.1",
        }[header]

    client = connect()
    client.meta.events.register("before-send.sqs.DeleteQueue", replace)
    shape, code, message = refusal(client.delete_queue, QueueUrl=queue)
    assert (shape, code) == ("InvalidSignatureException", "SignatureDoesNotMatch")


def test_amazons_header_added_after_signing(connect, queue):
    def add(request, **_):
        request.headers["X-Amz-Unsigned"] = "1"

    client = connect()
    client.meta.events.register("before-send.sqs.DeleteQueue", add)
    shape, code, _ = refusal(client.delete_queue, QueueUrl=queue)
    assert (shape, code) == ("InvalidSignatureException", "SignatureDoesNotMatch")


def test_header_added_after_signing_that_need_not_be_signed(connect, queue):
    """What proxies on the way add is nobody's business."""

    def add(request, **_):
        request.headers["X-Forwarded-For"] = "10.0.0.1"

    client = connect()
    client.meta.events.register("before-send.sqs.DeleteQueue", add)
    client.delete_queue(QueueUrl=queue)


def test_stale_date(connect, clock):
    signed_at = clock(minutes=-16)
    shape, code, message = refusal(connect().list_queues)
    assert (shape, code) == ("InvalidSignatureException", "SignatureDoesNotMatch")
    prefix = f"Signature expired: {signed_at} is now earlier than "
    assert message.startswith(prefix) and message.endswith(" - 15 min.)")
    limit, at = message.removeprefix(prefix).removesuffix(" - 15 min.)").split(" (")
    apart = datetime.datetime.strptime(at, STAMP) - datetime.datetime.strptime(limit, STAMP)
    assert apart == datetime.timedelta(minutes=15)
    assert abs(datetime.datetime.strptime(at, STAMP) - now()) < datetime.timedelta(minutes=1)


def test_date_in_the_future(connect, clock):
    signed_at = clock(minutes=16)
    shape, code, message = refusal(connect().list_queues)
    assert (shape, code) == ("InvalidSignatureException", "SignatureDoesNotMatch")
    prefix = f"Signature not yet current: {signed_at} is still later than "
    assert message.startswith(prefix) and message.endswith(" + 15 min.)")


@pytest.mark.parametrize("minutes", [-14, 14])
def test_a_clock_that_is_a_little_wrong(connect, clock, minutes):
    clock(minutes=minutes)
    connect().list_queues(QueueNamePrefix="none")


def test_wrong_service_in_the_scope(server):
    answer = post_by_hand(server, botocore.auth.SigV4Auth(CREDENTIALS, "sns", REGION))
    assert answer.status == 403
    assert answer.headers["x-amzn-query-error"] == "SignatureDoesNotMatch;Sender"
    assert answer.json() == {
        "__type": "com.amazon.coral.service#InvalidSignatureException",
        "message": "Credential should be scoped to correct service: 'sqs'.",
    }


class PresignedPost(botocore.auth.SigV4QueryAuth):
    """Presigns a POST whose body stays a body.

    botocore's own class moves JSON into the query string, which is no request of this
    protocol; so the body is left out of the request to sign, and its hash is given.
    """

    def __init__(self, body, expires=60):
        super().__init__(CREDENTIALS, "sqs", REGION, expires=expires)
        self._hash = hashlib.sha256(body).hexdigest()

    def payload(self, request):
        return self._hash


def post_by_hand(server, auth, body=b"{}", sent=None, target="AmazonSQS.ListQueues"):
    """Signs a request to post ``body`` with ``auth``, and sends ``sent`` (or that body)."""
    request = botocore.awsrequest.AWSRequest(
        method="POST",
        url=f"{server.endpoint_url}/",
        data=None if isinstance(auth, PresignedPost) else body,
        headers={"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": target},
    )
    auth.add_auth(request)
    return send("POST", request.url, dict(request.headers), body if sent is None else sent)


def send(method, url, headers, body=None):
    with urllib3.PoolManager(retries=False, timeout=10) as pool:
        return pool.request(method, url, headers=headers, body=body)


def test_presigned_post(server, sqs, queue):
    body = json.dumps({"QueueUrl": queue, "MessageBody": "presigned"}).encode()
    answer = post_by_hand(server, PresignedPost(body), body, target="AmazonSQS.SendMessage")
    assert answer.status == 200
    (message,) = sqs.receive_message(QueueUrl=queue)["Messages"]
    assert message["MessageId"] == answer.json()["MessageId"]
    assert message["Body"] == "presigned"


def test_presigned_post_with_another_body(server, sqs, queue):
    body = json.dumps({"QueueUrl": queue, "MessageBody": "presigned"}).encode()
    answer = post_by_hand(
        server,
        PresignedPost(body),
        body,
        sent=body.replace(b"presigned", b"forged---"),
        target="AmazonSQS.SendMessage",
    )
    assert answer.status == 403
    assert answer.headers["x-amzn-query-error"] == "SignatureDoesNotMatch;Sender"
    assert count(sqs, queue) == 0


def test_presigned_post_that_is_over(server, clock):
    clock(seconds=-61)
    answer = post_by_hand(server, PresignedPost(b"{}", expires=60))
    assert answer.status == 403
    assert answer.headers["x-amzn-query-error"] == "SignatureDoesNotMatch;Sender"


def test_presigned_post_may_be_older_than_a_signed_one(server, clock):
    clock(hours=-1)
    assert post_by_hand(server, PresignedPost(b"{}", expires=7200)).status == 200


def presigned_get(sqs):
    """A URL as boto3 presigns it, and the headers that it signed with it."""
    url = sqs.generate_presigned_url("list_queues", ExpiresIn=60, HttpMethod="GET")
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)
    values = {
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": "AmazonSQS.ListQueues",
        "x-amzn-query-mode": "true",
    }
    signed = query["X-Amz-SignedHeaders"][0].split(";")
    return url, {name: values[name] for name in signed if name != "host"}


def test_presigned_get_is_verified_and_then_not_found(sqs):
    url, headers = presigned_get(sqs)
    assert send("GET", url, headers).status == 404


def test_presigned_get_with_another_signature(sqs):
    url, headers = presigned_get(sqs)
    last = "1" if url.endswith("0") else "0"
    answer = send("GET", url[:-1] + last, headers)
    assert answer.status == 403
    assert answer.headers["x-amzn-query-error"] == "SignatureDoesNotMatch;Sender"


def test_presigned_get_with_another_query(sqs):
    url, headers = presigned_get(sqs)
    assert send("GET", url.replace("?", "?Action=DeleteQueue&", 1), headers).status == 403
