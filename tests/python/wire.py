"""The wire that the installed boto3 speaks, and all that a test may see of it.

boto3 speaks JSON since the end of 2023; until then it spoke SQS's older protocol, Query: form
parameters there, XML back. `tests/python/run` runs the same tests with one client of each kind.
Where the outcome depends on the wire, or on the age of the client, it is here with its reason,
and nowhere else.
"""

import json
import urllib.parse
import xml.etree.ElementTree

import botocore.exceptions
import botocore.session

MODEL = botocore.session.Session().get_service_model("sqs")
PROTOCOL = MODEL.protocol
QUERY = PROTOCOL == "query"
VERSION = "2012-11-05"
NAMESPACE = f"http://queue.amazonaws.com/doc/{VERSION}/"
FORM = "application/x-www-form-urlencoded; charset=utf-8"
JSON = "application/x-amz-json-1.0"

# The content type of every answer.
CONTENT_TYPE = "text/xml" if QUERY else JSON

# Amazon words this one differently on each wire.
NO_SUCH_QUEUE = "The specified queue does not exist" + (
    " for this wsdl version." if QUERY else "."
)

# What names the operation or the form of the body outside the body, and so must be signed, with
# another value for each. A Query request names its operation inside.
HEADERS_THAT_ARE_SIGNED = (
    {"Content-Type": b"application/x-www-form-urlencoded"}
    if QUERY
    else {"X-Amz-Target": b"AmazonSQS.PurgeQueue", "Content-Type": b"application/x-amz-json-1.1"}
)

# A presigned URL to get is a whole request of Query. A call in JSON is a POST, so there it is
# verified, and then nothing is there.
PRESIGNED_GET_STATUS = 200 if QUERY else 404


def error(shape, code, message):
    """The ``Error`` of a refusal as boto3 shows it. JSON has both of its names, Query only the older."""
    if QUERY:
        return {"Type": "Sender", "Code": code, "Message": message, "Detail": None}
    return {"Type": "Sender", "Code": code, "QueryErrorCode": shape, "Message": message}


def error_headers(code):
    """The headers of a refusal that a success does not have. In XML the code is in the body alone."""
    return {} if QUERY else {"x-amzn-query-error": f"{code};Sender"}


def exception(sqs, shape):
    """boto3's class for an error. Errors that the older model does not name have none of their own."""
    if QUERY and shape not in MODEL.shape_names:
        return botocore.exceptions.ClientError
    return getattr(sqs.exceptions, shape)


def adapt(client):
    """Lets a client be called as the newest one is.

    The older model has one list of names for the attributes that SQS itself gives a message,
    AttributeNames, which the newer calls MessageSystemAttributeNames.
    """
    receive = MODEL.operation_model("ReceiveMessage").input_shape.members

    def rename(params, **_):
        if "MessageSystemAttributeNames" in params:
            params["AttributeNames"] = params.pop("MessageSystemAttributeNames")

    if "MessageSystemAttributeNames" not in receive:
        client.meta.events.register("provide-client-params.sqs.ReceiveMessage", rename)
    return client


def by_hand(action, **parameters):
    """The headers and the body of a request that a test makes without boto3's help."""
    if QUERY:
        fields = {"Action": action, "Version": VERSION, **parameters}
        return {"Content-Type": FORM}, urllib.parse.urlencode(fields).encode()
    headers = {"Content-Type": JSON, "X-Amz-Target": f"AmazonSQS.{action}"}
    return headers, json.dumps(parameters).encode()


def result_by_hand(answer, member):
    """A member of the result of such a request."""
    if QUERY:
        [found] = xml.etree.ElementTree.fromstring(answer.data).iter(f"{{{NAMESPACE}}}{member}")
        return found.text
    return answer.json()[member]


def refusal_by_hand(answer):
    """The answer to such a request as boto3 would show it, when the checks below SQS refused it."""
    assert answer.headers["content-type"] == CONTENT_TYPE
    if QUERY:
        root = xml.etree.ElementTree.fromstring(answer.data)
        assert root.tag == f"{{{NAMESPACE}}}ErrorResponse"
        # Elements have the namespace of the root, as Amazon's answers have.
        texts = {element.tag.removeprefix(f"{{{NAMESPACE}}}"): element.text for element in root.iter()}
        assert texts["RequestId"]
        return {name: texts[name] for name in ("Type", "Code", "Message", "Detail")}
    code, fault = answer.headers["x-amzn-query-error"].split(";")
    body = answer.json()
    shape = body["__type"].removeprefix("com.amazon.coral.service#")
    return {"Type": fault, "Code": code, "QueryErrorCode": shape, "Message": body["message"]}
