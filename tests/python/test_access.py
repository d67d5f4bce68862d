"""Tags, permissions, and what another account may do."""

import json

import botocore.exceptions
import pytest

import wire
from conftest import ACCOUNT, KEY, REGION, SECRET
from server import FakeSqs

OTHER = "111122223333"


def test_tags(sqs, queue):
    assert "Tags" not in sqs.list_queue_tags(QueueUrl=queue)
    sqs.tag_queue(QueueUrl=queue, Tags={"team": "shop", "env": "test"})
    sqs.tag_queue(QueueUrl=queue, Tags={"env": "", "Team": "é"})
    tags = sqs.list_queue_tags(QueueUrl=queue)["Tags"]
    assert tags == {"team": "shop", "env": "", "Team": "é"}
    sqs.untag_queue(QueueUrl=queue, TagKeys=["team", "env", "never"])
    assert sqs.list_queue_tags(QueueUrl=queue)["Tags"] == {"Team": "é"}
    sqs.untag_queue(QueueUrl=queue, TagKeys=["Team"])
    assert "Tags" not in sqs.list_queue_tags(QueueUrl=queue)


def test_a_queue_is_made_with_tags(sqs, queue_name):
    queue = sqs.create_queue(QueueName=queue_name, tags={"team": "shop"})["QueueUrl"]
    assert sqs.list_queue_tags(QueueUrl=queue)["Tags"] == {"team": "shop"}
    assert sqs.create_queue(QueueName=queue_name, tags={"team": "shop"})["QueueUrl"] == queue
    with pytest.raises(sqs.exceptions.QueueNameExists):
        sqs.create_queue(QueueName=queue_name, tags={"team": "other"})


def test_what_tags_refuse(sqs, queue):
    rows = [
        ({"": "x"}, "Tag keys must be between 1 and 128 characters in length."),
        (
            {f"key-{n}": "" for n in range(51)},
            f"Too many tags added for queue {queue.rsplit('/', 1)[1]}.",
        ),
    ]
    for tags, message in rows:
        with pytest.raises(botocore.exceptions.ClientError) as raised:
            sqs.tag_queue(QueueUrl=queue, Tags=tags)
        error = raised.value.response["Error"]
        assert (error["Code"], error["Message"]) == ("InvalidParameterValue", message)
    assert "Tags" not in sqs.list_queue_tags(QueueUrl=queue)


def policy_of(sqs, queue):
    answer = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["Policy"])
    return json.loads(answer["Attributes"]["Policy"]) if "Attributes" in answer else None


def arn_of(queue):
    return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{queue.rsplit('/', 1)[1]}"


def permit(sqs, queue, label, *actions):
    sqs.add_permission(QueueUrl=queue, Label=label, AWSAccountIds=[OTHER], Actions=actions)


def test_permissions_are_statements_of_the_policy(sqs, queue):
    assert policy_of(sqs, queue) is None
    permit(sqs, queue, "one", "SendMessage")
    sqs.add_permission(
        QueueUrl=queue,
        Label="many",
        AWSAccountIds=[OTHER, "444455556666"],
        Actions=["ReceiveMessage", "DeleteMessage"],
    )
    first = {
        "Sid": "one",
        "Effect": "Allow",
        "Principal": {"AWS": f"arn:aws:iam::{OTHER}:root"},
        "Action": "SQS:SendMessage",
        "Resource": arn_of(queue),
    }
    second = {
        "Sid": "many",
        "Effect": "Allow",
        "Principal": {
            "AWS": [f"arn:aws:iam::{OTHER}:root", "arn:aws:iam::444455556666:root"]
        },
        "Action": ["SQS:ReceiveMessage", "SQS:DeleteMessage"],
        "Resource": arn_of(queue),
    }
    assert policy_of(sqs, queue) == {
        "Version": "2008-10-17",
        "Id": f"{arn_of(queue)}/SQSDefaultPolicy",
        "Statement": [first, second],
    }
    sqs.remove_permission(QueueUrl=queue, Label="one")
    assert policy_of(sqs, queue)["Statement"] == [second]
    sqs.remove_permission(QueueUrl=queue, Label="many")
    assert policy_of(sqs, queue) is None


REFUSED = {
    "a label twice": (
        lambda sqs, url: permit(sqs, url, "one", "SendMessage"),
        "Value one for parameter Label is invalid. Reason: Already exists.",
    ),
    "an action of the owner's alone": (
        lambda sqs, url: permit(sqs, url, "two", "DeleteQueue"),
        "Value SQS:DeleteQueue for parameter ActionName is invalid. "
        "Reason: Only the queue owner is allowed to invoke this action.",
    ),
    "an action that is none": (
        lambda sqs, url: permit(sqs, url, "two", "SendMessageBatch"),
        "Value SQS:SendMessageBatch for parameter ActionName is invalid. "
        "Reason: Please refer to the appropriate WSDL for a list of valid actions.",
    ),
    "a label that is not there": (
        lambda sqs, url: sqs.remove_permission(QueueUrl=url, Label="two"),
        "Value two for parameter Label is invalid. Reason: can't find label.",
    ),
}


@pytest.mark.parametrize("row", REFUSED.values(), ids=REFUSED)
def test_what_permissions_refuse(sqs, queue, row):
    call, message = row
    permit(sqs, queue, "one", "SendMessage")
    with pytest.raises(botocore.exceptions.ClientError) as raised:
        call(sqs, queue)
    error = raised.value.response["Error"]
    assert (error["Code"], error["Message"]) == ("InvalidParameterValue", message)


def test_over_limit(sqs, queue):
    with pytest.raises(sqs.exceptions.OverLimit) as raised:
        permit(sqs, queue, "many", *["SendMessage"] * 8)
    response = raised.value.response
    assert response["Error"]["Message"] == "8 Actions were found, maximum allowed is 7."
    assert response["ResponseMetadata"]["HTTPStatusCode"] == 403


@pytest.fixture(scope="module")
def accounts(tmp_path_factory, connect):
    """Clients of two accounts of one server: the owner's and another's."""
    server = FakeSqs(
        tmp_path_factory.mktemp("accounts") / "log",
        *("--credential", f"{KEY}:{SECRET}"),
        *("--credential", f"other:other:{OTHER}"),
    )
    endpoint = server.endpoint_url
    yield connect(endpoint=endpoint), connect(key="other", secret="other", endpoint=endpoint)
    assert server.stop() == 0


def test_another_account_is_let_in_where_a_permission_says_so(accounts, queue_name):
    owner, other = accounts
    queue = owner.create_queue(QueueName=queue_name)["QueueUrl"]

    def denied(call, action):
        with pytest.raises(botocore.exceptions.ClientError) as raised:
            call()
        response = raised.value.response
        assert response["ResponseMetadata"]["HTTPStatusCode"] == 403
        assert response["Error"] == wire.error(
            "AccessDeniedException",
            "AccessDenied",
            f"User: arn:aws:iam::{OTHER}:root is not authorized to perform: sqs:{action} on "
            f"resource: {arn_of(queue)} because no identity-based policy allows the "
            f"sqs:{action} action",
        )

    def send():
        return other.send_message(QueueUrl=queue, MessageBody="from outside")

    def find():
        return other.get_queue_url(QueueName=queue_name, QueueOwnerAWSAccountId=ACCOUNT)

    denied(send, "sendmessage")
    with pytest.raises(other.exceptions.QueueDoesNotExist):
        find()
    permit(owner, queue, "writers", "SendMessage", "GetQueueUrl")
    assert find()["QueueUrl"] == queue
    send()
    denied(lambda: other.receive_message(QueueUrl=queue), "receivemessage")
    denied(lambda: other.delete_queue(QueueUrl=queue), "deletequeue")
    [message] = owner.receive_message(
        QueueUrl=queue, MessageSystemAttributeNames=["SenderId"]
    )["Messages"]
    assert message["Attributes"] == {"SenderId": OTHER}
    owner.remove_permission(QueueUrl=queue, Label="writers")
    denied(send, "sendmessage")


def test_each_account_has_its_own_queues(accounts, queue_name):
    owner, other = accounts
    urls = [sqs.create_queue(QueueName=queue_name)["QueueUrl"] for sqs in accounts]
    assert urls[0].endswith(f"/{ACCOUNT}/{queue_name}")
    assert urls[1].endswith(f"/{OTHER}/{queue_name}")
    owner.send_message(QueueUrl=urls[0], MessageBody="one")
    assert "Messages" not in other.receive_message(QueueUrl=urls[1])
    for sqs, url in zip(accounts, urls):
        assert sqs.list_queues(QueueNamePrefix=queue_name)["QueueUrls"] == [url]
