#!/usr/bin/env bash
# Calls a fake-sqs with curl, which signs and knows nothing of SQS: the Query protocol as shell scripts speak it.
#
#   FAKE_SQS_BIN=target/release/fake-sqs tests/cli/curl.sh
#
# It needs curl 7.75 or newer, the first that signs. Parameters in a URL stand in the order of their names, since
# older releases sign them as they stand.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
binary=${FAKE_SQS_BIN:?names the fake-sqs binary}
# shellcheck source=tests/cli/server.sh
source "$here/server.sh"

[[ $(curl --help all 2>/dev/null) == *--aws-sigv4* ]] || fail "curl 7.75 or newer is needed, with --aws-sigv4"

# sqs CURL-ARGUMENT...: the answer's body is in $body, its status in $status, its type in $type. Nothing of the user's
# configuration, and no proxy.
signature=(--aws-sigv4 aws:amz:us-east-1:sqs --user test:test)
sqs() {
    IFS=$'\t' read -r status type < <(curl --disable --silent --show-error --noproxy '*' --max-time "$bound" "${signature[@]}" \
        --output "$work/body" --write-out '%{http_code}\t%{content_type}\n' "$@")
    body=$(cat "$work/body")
    equal "the type of $body" "$type" text/xml
}

# element NAME: what is in the one element of this name.
element() {
    local found
    found=$(grep -o "<$1>[^<]*</$1>" "$work/body") || fail "no <$1> in $body"
    found=${found#*>}
    printf '%s' "${found%<*}"
}

# succeeds ACTION: the answer is one of this operation, and names its request.
succeeds() {
    equal "the status of $1" "$status" 200
    holds "the answer of $1" "$body" "<$1Response xmlns=\"http://queue.amazonaws.com/doc/2012-11-05/\">"
    [[ $(element RequestId) =~ ^[0-9a-f-]{36}$ ]] || fail "no request id in $body"
}

# refused STATUS CODE TEXT: the answer is this error.
refused() {
    equal "the status of $2" "$status" "$1"
    holds "the error $2" "$body" "<ErrorResponse xmlns=\"http://queue.amazonaws.com/doc/2012-11-05/\"><Error><Type>Sender</Type><Code>$2</Code>"
    holds "the text of $2" "$(element Message)" "$3"
    [[ $(element RequestId) =~ ^[0-9a-f-]{36}$ ]] || fail "no request id in $body"
}

start

# --- POST -----------------------------------------------------------------------------------

sqs "$endpoint/" -d Action=CreateQueue -d Version=2012-11-05 -d QueueName=orders \
    -d Attribute.1.Name=VisibilityTimeout -d Attribute.1.Value=60
succeeds CreateQueue
url=$(element QueueUrl)
equal "the queue's URL" "$url" "$endpoint/000000000000/orders"

# To the queue's own path, so that nothing else names it.
sqs "$url" -d Action=SendMessage --data-urlencode 'MessageBody=<héllo> & "☃"' \
    -d MessageAttribute.1.Name=color -d MessageAttribute.1.Value.DataType=String -d MessageAttribute.1.Value.StringValue=blue
succeeds SendMessage
equal "the attributes' digest" "$(element MD5OfMessageAttributes)" da1b33cc3cbfe8b1630921e78e6b9880
id=$(element MessageId)

sqs "$endpoint/" -d Action=ReceiveMessage --data-urlencode "QueueUrl=$url" -d WaitTimeSeconds=5 -d MessageAttributeName.1=All
succeeds ReceiveMessage
equal "the message's id" "$(element MessageId)" "$id"
equal "the message's body" "$(element Body)" '&lt;héllo&gt; &amp; &quot;☃&quot;'
holds "the message's attribute" "$body" '<Name>color</Name><Value>'
handle=$(element ReceiptHandle)
sqs "$url" -d Action=DeleteMessage --data-urlencode "ReceiptHandle=$handle"
succeeds DeleteMessage

# --- GET ------------------------------------------------------------------------------------

sqs "$endpoint/?Action=ListQueues&QueueNamePrefix=ord&Version=2012-11-05"
succeeds ListQueues
equal "the queues" "$(element QueueUrl)" "$url"
sqs "$url?Action=GetQueueAttributes&AttributeName.1=VisibilityTimeout"
succeeds GetQueueAttributes
equal "an attribute" "$(element Name)=$(element Value)" VisibilityTimeout=60
sqs "$url?Action=SendMessage&MessageBody=by%20GET"
succeeds SendMessage
sqs "$url?Action=ReceiveMessage"
equal "the message's body" "$(element Body)" 'by GET'

# --- Refusals -------------------------------------------------------------------------------

refusals() {
    sqs "$@" "$endpoint/?Action=Frobnicate"
    refused 400 InvalidAction 'The action Frobnicate is not valid for this endpoint.'
    sqs "$@" "$url-other?Action=ReceiveMessage"
    refused 400 AWS.SimpleQueueService.NonExistentQueue 'The specified queue does not exist for this wsdl version.'
    sqs "$@" "$url?Action=ReceiveMessage&MaxNumberOfMessages=11"
    refused 400 InvalidParameterValue 'Value 11 for parameter MaxNumberOfMessages is invalid.'
    sqs "$@" "$url?Action=DeleteMessage&ReceiptHandle=none"
    refused 404 ReceiptHandleIsInvalid 'The input receipt handle &quot;none&quot; is not a valid receipt handle.'
    sqs "$@" "$url?Action=ListQueues" --user test:wrong
    refused 403 SignatureDoesNotMatch 'The request signature we calculated does not match the signature you provided.'
    sqs "$@" "$url?Action=ListQueues" --user nobody:test
    refused 403 InvalidClientTokenId 'The security token included in the request is invalid.'
    signature=()
    sqs "$@" "$url?Action=ListQueues"
    refused 403 AccessDenied 'Access to the resource '
    signature=(--aws-sigv4 aws:amz:us-east-1:sqs --user test:test)
}
refusals --get
# The same parameters in the URL of a POST.
refusals --request POST

sqs "$url" -d Action=DeleteQueue
succeeds DeleteQueue
finish
echo "curl.sh: $checks checks passed"
