"""Each request's signature is verified: what botocore signs is accepted, all else is not."""

import datetime
import hashlib
import urllib.parse

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import botocore.exceptions
import pytest
import urllib3
from botocore import UNSIGNED

import signing_clock
import wire
from conftest import KEY, REGION, SECRET
from server import BOUND_SECONDS

MISMATCH = (
    "The request signature we calculated does not match the signature you provided. "
    "Check your AWS Secret Access Key and signing method. "
    "Consult the service documentation for details."
)
CREDENTIALS = botocore.credentials.Credentials(KEY, SECRET)
STAMP = "%Y%m%dT%H%M%SZ"
# A request that changes nothing.
LIST = wire.by_hand("ListQueues")


def now():
    return datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)


@pytest.fixture
def clock(monkeypatch):
    """Sets botocore's clock: ``clock(minutes=-16)`` signs as it was 16 minutes ago."""

    def shift(**how_far):
        signed_at = now() + datetime.timedelta(**how_far)
        signing_clock.set_to(signed_at, monkeypatch.setattr)
        return signed_at.strftime(STAMP)

    return shift


def refusal(call, shape, code, **arguments):
    """The text of a call's refusal with this name, this query code and status 403."""
    with pytest.raises(botocore.exceptions.ClientError) as raised:
        call(**arguments)
    response = raised.value.response
    assert response["ResponseMetadata"]["HTTPStatusCode"] == 403
    message = response["Error"]["Message"]
    assert response["Error"] == wire.error(shape, code, message)
    return message


def refusal_of_a_signature(call, **arguments):
    return refusal(call, "InvalidSignatureException", "SignatureDoesNotMatch", **arguments)


def check_by_hand(answer, message):
    """The same for a request that was made by hand and is refused for its signature."""
    assert answer.status == 403
    refused = wire.refusal_by_hand(answer)
    assert refused["Message"].startswith(message), refused
    assert refused == wire.error(
        "InvalidSignatureException", "SignatureDoesNotMatch", refused["Message"]
    )


def count(sqs, queue):
    names = ["ApproximateNumberOfMessages"]
    attributes = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=names)["Attributes"]
    return int(attributes[names[0]])


@pytest.mark.parametrize("secret", ["wrong", "test ", "Test"])
def test_wrong_secret(connect, secret):
    assert refusal_of_a_signature(connect(secret=secret).list_queues).startswith(MISMATCH)


def test_unknown_key(connect):
    call = connect(key="AKIDEXAMPLE").list_queues
    message = refusal(call, "UnrecognizedClientException", "InvalidClientTokenId")
    assert message == "The security token included in the request is invalid."


def test_no_signature(connect, sqs, queue):
    client = connect(signature_version=UNSIGNED)
    message = refusal(
        client.send_message,
        "AccessDeniedException",
        "AccessDenied",
        QueueUrl=queue,
        MessageBody="a",
    )
    assert message.startswith("Access to the resource ") and message.endswith(" is denied.")
    assert count(sqs, queue) == 0


def test_body_changed_after_signing(connect, sqs, queue):
    def replace(request, **_):
        # A form is text here, and JSON is bytes.
        body = request.body if isinstance(request.body, bytes) else request.body.encode()
        assert b"alice" in body
        request.body = body.replace(b"alice", b"mallo")

    client = connect()
    client.meta.events.register("before-send.sqs.SendMessage", replace)
    call = {"QueueUrl": queue, "MessageBody": "pay alice"}
    assert refusal_of_a_signature(client.send_message, **call).startswith(MISMATCH)
    assert count(sqs, queue) == 0


@pytest.mark.parametrize("header", wire.HEADERS_THAT_ARE_SIGNED)
def test_header_changed_after_signing(connect, queue, header):
    def replace(request, **_):
        del request.headers[header]
        request.headers[header] = wire.HEADERS_THAT_ARE_SIGNED[header]

    client = connect()
    client.meta.events.register("before-send.sqs.DeleteQueue", replace)
    assert refusal_of_a_signature(client.delete_queue, QueueUrl=queue).startswith(MISMATCH)


def test_amazons_header_added_after_signing(connect, queue):
    def add(request, **_):
        request.headers["X-Amz-Unsigned"] = "1"

    client = connect()
    client.meta.events.register("before-send.sqs.DeleteQueue", add)
    refusal_of_a_signature(client.delete_queue, QueueUrl=queue)


def test_header_added_after_signing_that_need_not_be_signed(connect, queue):
    """What proxies on the way add is nobody's business."""

    def add(request, **_):
        request.headers["X-Forwarded-For"] = "10.0.0.1"

    client = connect()
    client.meta.events.register("before-send.sqs.DeleteQueue", add)
    client.delete_queue(QueueUrl=queue)


def test_stale_date(connect, clock):
    signed_at = clock(minutes=-16)
    message = refusal_of_a_signature(connect().list_queues)
    prefix = f"Signature expired: {signed_at} is now earlier than "
    assert message.startswith(prefix) and message.endswith(" - 15 min.)")
    limit, at = message.removeprefix(prefix).removesuffix(" - 15 min.)").split(" (")
    apart = datetime.datetime.strptime(at, STAMP) - datetime.datetime.strptime(limit, STAMP)
    assert apart == datetime.timedelta(minutes=15)
    assert abs(datetime.datetime.strptime(at, STAMP) - now()) < datetime.timedelta(minutes=1)


def test_date_in_the_future(connect, clock):
    signed_at = clock(minutes=16)
    message = refusal_of_a_signature(connect().list_queues)
    prefix = f"Signature not yet current: {signed_at} is still later than "
    assert message.startswith(prefix) and message.endswith(" + 15 min.)")


@pytest.mark.parametrize("minutes", [-14, 14])
def test_a_clock_that_is_a_little_wrong(connect, clock, minutes):
    clock(minutes=minutes)
    connect().list_queues(QueueNamePrefix="none")


def test_wrong_service_in_the_scope(server):
    answer = post_by_hand(server, botocore.auth.SigV4Auth(CREDENTIALS, "sns", REGION), LIST)
    check_by_hand(answer, "Credential should be scoped to correct service: 'sqs'.")


class PresignedPost(botocore.auth.SigV4QueryAuth):
    """Presigns a POST whose body stays a body.

    botocore's own class moves the body into the query string; so it is left out of the request
    to sign, and its hash is given.
    """

    def __init__(self, body, expires=60):
        super().__init__(CREDENTIALS, "sqs", REGION, expires=expires)
        self._hash = hashlib.sha256(body).hexdigest()

    def payload(self, request):
        return self._hash


def post_by_hand(server, auth, request, sent=None):
    """Signs the headers and the body of a ``request`` with ``auth``, and posts them.

    With ``sent``, another body is posted than the one that was signed.
    """
    headers, body = request
    signed = botocore.awsrequest.AWSRequest(
        method="POST",
        url=f"{server.endpoint_url}/",
        data=None if isinstance(auth, PresignedPost) else body,
        headers=headers,
    )
    auth.add_auth(signed)
    # Presigning takes the Content-Type of a form away, without which a body is none.
    headers = {**headers, **dict(signed.headers)}
    return send("POST", signed.url, headers, body if sent is None else sent)


def send(method, url, headers, body=None):
    with urllib3.PoolManager(retries=False, timeout=BOUND_SECONDS) as pool:
        return pool.request(method, url, headers=headers, body=body)


def test_presigned_post(server, sqs, queue):
    request = wire.by_hand("SendMessage", QueueUrl=queue, MessageBody="presigned")
    answer = post_by_hand(server, PresignedPost(request[1]), request)
    assert answer.status == 200
    (message,) = sqs.receive_message(QueueUrl=queue)["Messages"]
    assert message["MessageId"] == wire.result_by_hand(answer, "MessageId")
    assert message["Body"] == "presigned"


def test_presigned_post_with_another_body(server, sqs, queue):
    request = wire.by_hand("SendMessage", QueueUrl=queue, MessageBody="presigned")
    forged = request[1].replace(b"presigned", b"forged---")
    answer = post_by_hand(server, PresignedPost(request[1]), request, sent=forged)
    check_by_hand(answer, MISMATCH)
    assert count(sqs, queue) == 0


def test_presigned_post_that_is_over(server, clock):
    clock(seconds=-61)
    answer = post_by_hand(server, PresignedPost(LIST[1], expires=60), LIST)
    check_by_hand(answer, "Signature expired: ")


def test_presigned_post_may_be_older_than_a_signed_one(server, clock):
    clock(hours=-1)
    assert post_by_hand(server, PresignedPost(LIST[1], expires=7200), LIST).status == 200


def presigned_get(sqs):
    """A URL as boto3 presigns it, and the headers that it signed with it."""
    url = sqs.generate_presigned_url("list_queues", ExpiresIn=60, HttpMethod="GET")
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)
    values = {
        "content-type": wire.JSON,
        "x-amz-target": "AmazonSQS.ListQueues",
        "x-amzn-query-mode": "true",
    }
    signed = query["X-Amz-SignedHeaders"][0].split(";")
    return url, {name: values[name] for name in signed if name != "host"}


def test_presigned_get(sqs):
    url, headers = presigned_get(sqs)
    assert send("GET", url, headers).status == wire.PRESIGNED_GET_STATUS


def test_presigned_get_with_another_signature(sqs):
    url, headers = presigned_get(sqs)
    last = "1" if url.endswith("0") else "0"
    check_by_hand(send("GET", url[:-1] + last, headers), MISMATCH)


def test_presigned_get_with_another_query(sqs):
    url, headers = presigned_get(sqs)
    assert send("GET", url.replace("?", "?Action=DeleteQueue&", 1), headers).status == 403
