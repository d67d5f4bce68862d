#!/usr/bin/env bash
# Drives a fake-sqs with the AWS CLI: first README's own commands, word for word, then the round
# trip, FIFO queues, dead letters and move tasks, refusals with their exit statuses, and last a
# server of two accounts.
#
#   FAKE_SQS_BIN=target/release/fake-sqs tests/cli/aws_cli.sh
#
# It needs the AWS CLI, version 1, as `aws` on the PATH (tests/python/run brings the pinned one).
# Presigned requests are not in it, since the CLI presigns none but S3's.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
binary=${FAKE_SQS_BIN:?names the fake-sqs binary}
# shellcheck source=tests/cli/server.sh
source "$here/server.sh"

# A call that hangs ends by the CLI's own limit of 60 seconds. Neither the developer's own profile, nor a pager, nor a proxy, nor a second attempt.
export AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null
export AWS_EC2_METADATA_DISABLED=true AWS_PAGER='' AWS_MAX_ATTEMPTS=1 NO_PROXY=127.0.0.1
unset AWS_PROFILE AWS_SESSION_TOKEN AWS_ENDPOINT_URL AWS_ENDPOINT_URL_SQS
start

# --- README ---------------------------------------------------------------------------------

# The `sh` blocks of README.md that call `aws`, in their order, as one script. Only the address
# is another, since this server took a free port.
readme=$(awk '
    /^```sh$/ { inside = 1; block = ""; next }
    /^```$/ && inside { inside = 0; if (block ~ /(^|[ \n])aws /) printf "%s", block; next }
    inside { block = block $0 "\n" }
' "$root/README.md")
[[ -n $readme ]] || fail "README.md has no block of commands that calls aws"
holds "README's commands" "$readme" "--endpoint-url http://127.0.0.1:9324 sqs create-queue --queue-name orders"
holds "README's commands" "$readme" "sqs send-message"
holds "README's commands" "$readme" "sqs receive-message"
said=$(bash -euo pipefail -c "${readme//http:\/\/127.0.0.1:9324/$endpoint}" 2>&1) \
    || fail "README's commands end with status $?: $said"
holds "README's create-queue" "$said" "\"QueueUrl\": \"$endpoint/000000000000/orders\""
holds "README's send-message" "$said" '"MD5OfMessageBody": '
holds "README's receive-message" "$said" '"ReceiptHandle": '

# --- The round trip -------------------------------------------------------------------------

export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_DEFAULT_REGION=us-east-1

sqs() {
    aws --endpoint-url "$endpoint" --output text sqs "$@"
}

# Each call starts the CLI, which a slow machine takes its time for: what is received here stays in flight meanwhile.
url=$(sqs create-queue --queue-name trip --attributes VisibilityTimeout=43200 --query QueueUrl)
equal "the queue's URL" "$url" "$endpoint/000000000000/trip"
equal "get-queue-url" "$(sqs get-queue-url --queue-name trip --query QueueUrl)" "$url"
equal "list-queues" "$(sqs list-queues --queue-name-prefix tri --query QueueUrls)" "$url"
equal "an attribute" \
    "$(sqs get-queue-attributes --queue-url "$url" --attribute-names VisibilityTimeout \
        --query Attributes.VisibilityTimeout)" 43200

sent=$(sqs send-message --queue-url "$url" --message-body 'héllo ☃' \
    --message-attributes '{"color":{"DataType":"String","StringValue":"blue"}}' \
    --query '[MessageId,MD5OfMessageAttributes]')
read -r id digest <<<"$sent"
equal "the attributes' digest" "$digest" da1b33cc3cbfe8b1630921e78e6b9880
received=$(sqs receive-message --queue-url "$url" --wait-time-seconds 5 \
    --message-attribute-names All \
    --query 'Messages[0].[MessageId,ReceiptHandle,MessageAttributes.color.StringValue,Body]')
IFS=$'\t' read -r received_id handle color body <<<"$received"
equal "the message's id" "$received_id" "$id"
equal "the message's attribute" "$color" blue
equal "the message's body" "$body" 'héllo ☃'
equal "a message in flight" "$(sqs receive-message --queue-url "$url")" ''

sqs change-message-visibility --queue-url "$url" --receipt-handle "$handle" --visibility-timeout 0
handle=$(sqs receive-message --queue-url "$url" --query 'Messages[0].ReceiptHandle')
sqs delete-message --queue-url "$url" --receipt-handle "$handle"
equal "what is left" \
    "$(sqs get-queue-attributes --queue-url "$url" --attribute-names \
        ApproximateNumberOfMessages ApproximateNumberOfMessagesNotVisible \
        --query 'Attributes.[ApproximateNumberOfMessages,ApproximateNumberOfMessagesNotVisible]')" \
    $'0\t0'

equal "a batch" \
    "$(sqs send-message-batch --queue-url "$url" \
        --entries '[{"Id":"a","MessageBody":"one"},{"Id":"b","MessageBody":"two","DelaySeconds":901}]' \
        --query '[Successful[0].Id,Failed[0].Id,Failed[0].Code]')" $'a\tb\tInvalidParameterValue'
sqs purge-queue --queue-url "$url"
equal "a purged queue" "$(sqs receive-message --queue-url "$url")" ''

# --- Tags -----------------------------------------------------------------------------------

sqs tag-queue --queue-url "$url" --tags team=shop,env=
equal "the tags" "$(aws --endpoint-url "$endpoint" --output json sqs list-queue-tags \
    --queue-url "$url" --query Tags | tr -d ' \n')" '{"env":"","team":"shop"}'
sqs untag-queue --queue-url "$url" --tag-keys team env
equal "no tags" "$(sqs list-queue-tags --queue-url "$url")" ''

# --- FIFO -----------------------------------------------------------------------------------

fifo=$(sqs create-queue --queue-name trip.fifo --attributes FifoQueue=true,VisibilityTimeout=43200 --query QueueUrl)
send_fifo() {
    sqs send-message --queue-url "$fifo" --message-body "$1" --message-group-id "$2" \
        --message-deduplication-id "$3" --query "[SequenceNumber,MessageId]"
}
one=$(send_fifo one g d1)
[[ $one =~ ^[0-9]{20}$'\t' ]] || fail "no sequence number of 20 digits in '$one'"
equal "a duplicate" "$(send_fifo other g d1)" "$one"
send_fifo two g d2 >/dev/null
send_fifo three h d3 >/dev/null
handle=$(sqs receive-message --queue-url "$fifo" --query 'Messages[0].ReceiptHandle')
equal "another group" "$(sqs receive-message --queue-url "$fifo" --max-number-of-messages 10 \
    --query 'Messages[].Body')" three
sqs delete-message --queue-url "$fifo" --receipt-handle "$handle"
equal "the next of the group" \
    "$(sqs receive-message --queue-url "$fifo" --receive-request-attempt-id attempt-1 \
        --attribute-names MessageGroupId \
        --query 'Messages[].[Body,Attributes.MessageGroupId]')" $'two\tg'
equal "the same attempt" \
    "$(sqs receive-message --queue-url "$fifo" --receive-request-attempt-id attempt-1 \
        --query 'Messages[].Body')" two

# --- Dead letters and move tasks ------------------------------------------------------------

dead=$(sqs create-queue --queue-name dead --query QueueUrl)
dead_arn=arn:aws:sqs:us-east-1:000000000000:dead
printf '{"RedrivePolicy":"{\\"deadLetterTargetArn\\":\\"%s\\",\\"maxReceiveCount\\":\\"1\\"}"}' \
    "$dead_arn" >"$work/redrive.json"
source=$(sqs create-queue --queue-name failing --attributes "file://$work/redrive.json" \
    --query QueueUrl)
equal "the sources" \
    "$(sqs list-dead-letter-source-queues --queue-url "$dead" --query queueUrls)" "$source"
sqs send-message --queue-url "$source" --message-body fails >/dev/null
equal "the one receive" "$(sqs receive-message --queue-url "$source" --visibility-timeout 0 \
    --query 'Messages[].Body')" fails
equal "the receive after it" "$(sqs receive-message --queue-url "$source")" ''
equal "a dead letter" \
    "$(sqs receive-message --queue-url "$dead" --visibility-timeout 0 --attribute-names All \
        --query 'Messages[].[Body,Attributes.DeadLetterQueueSourceArn]')" \
    $'fails\tarn:aws:sqs:us-east-1:000000000000:failing'
task=$(sqs start-message-move-task --source-arn "$dead_arn" --query TaskHandle)
equal "a message moved back" "$(sqs receive-message --queue-url "$source" --wait-time-seconds 10 \
    --query 'Messages[].Body')" fails
equal "the move task" \
    "$(sqs list-message-move-tasks --source-arn "$dead_arn" \
        --query 'Results[].[SourceArn,ApproximateNumberOfMessagesMoved]')" "$dead_arn"$'\t1'
equal "nothing more to move" "$(sqs receive-message --queue-url "$dead" --wait-time-seconds 1)" ''

# --- Refusals -------------------------------------------------------------------------------

# refused CODE OPERATION TEXT COMMAND...: the CLI says this, and ends with its status for an error
# that a service answered.
refused() {
    local code=$1 operation=$2 text=$3 status=0 said
    shift 3
    said=$("$@" 2>&1) || status=$?
    equal "the status of $*" "$status" 255
    holds "the error of $*" "$said" "An error occurred ($code) when calling the $operation operation: $text"
}

refused SignatureDoesNotMatch ListQueues \
    'The request signature we calculated does not match the signature you provided.' \
    env AWS_SECRET_ACCESS_KEY=wrong aws --endpoint-url "$endpoint" sqs list-queues
refused InvalidClientTokenId ListQueues \
    'The security token included in the request is invalid.' \
    env AWS_ACCESS_KEY_ID=AKIDEXAMPLE aws --endpoint-url "$endpoint" sqs list-queues
refused AccessDenied ListQueues 'Access to the resource ' \
    aws --endpoint-url "$endpoint" --no-sign-request sqs list-queues

# Spoiled by a plugin, after or while the CLI signs.
printf '[plugins]\nspoil = spoil\n' >"$work/plugins"
spoiled() {
    local spoil=$1
    shift
    env SPOIL="$spoil" PYTHONPATH="$here:$root/tests/python" AWS_CONFIG_FILE="$work/plugins" \
        aws --endpoint-url "$endpoint" sqs "$@"
}
refused SignatureDoesNotMatch SendMessage \
    'The request signature we calculated does not match the signature you provided.' \
    spoiled body send-message --queue-url "$url" --message-body 'pay alice'
equal "a forged message" "$(sqs receive-message --queue-url "$url")" ''
refused SignatureDoesNotMatch ListQueues 'Signature expired: ' spoiled past list-queues
refused SignatureDoesNotMatch ListQueues 'Signature not yet current: ' spoiled future list-queues

refused AWS.SimpleQueueService.NonExistentQueue ReceiveMessage \
    'The specified queue does not exist' sqs receive-message --queue-url "$url-other"
refused QueueAlreadyExists CreateQueue \
    'A queue already exists with the same name and a different value for attribute VisibilityTimeout' \
    sqs create-queue --queue-name trip --attributes VisibilityTimeout=43199
# The first one right before it: on a slow machine the purge above is more than a minute ago.
sqs purge-queue --queue-url "$fifo"
refused AWS.SimpleQueueService.PurgeQueueInProgress PurgeQueue \
    'Only one PurgeQueue operation on trip.fifo is allowed every 60 seconds.' \
    sqs purge-queue --queue-url "$fifo"
refused ReceiptHandleIsInvalid DeleteMessage \
    'The input receipt handle "none" is not a valid receipt handle.' \
    sqs delete-message --queue-url "$url" --receipt-handle none
refused InvalidParameterValue ReceiveMessage \
    'Value 11 for parameter MaxNumberOfMessages is invalid.' \
    sqs receive-message --queue-url "$url" --max-number-of-messages 11

refused MissingParameter SendMessage 'The request must contain the parameter MessageGroupId.' \
    sqs send-message --queue-url "$fifo" --message-body alone
refused InvalidParameterValue CancelMessageMoveTask 'Only active tasks can be cancelled.' \
    sqs cancel-message-move-task --task-handle "$task"
refused ResourceNotFoundException StartMessageMoveTask \
    "The resource that you specified for the SourceArn parameter doesn't exist." \
    sqs start-message-move-task --source-arn "$dead_arn-other"

sqs delete-queue --queue-url "$url"
refused AWS.SimpleQueueService.QueueDeletedRecently CreateQueue \
    'You must wait 60 seconds after deleting a queue' sqs create-queue --queue-name trip

# --- Another account ------------------------------------------------------------------------

finish
start --credential test:test --credential other:other:111122223333

url=$(sqs create-queue --queue-name shared --query QueueUrl)
as_other() {
    env AWS_ACCESS_KEY_ID=other AWS_SECRET_ACCESS_KEY=other \
        aws --endpoint-url "$endpoint" --output text sqs "$@"
}
arn=arn:aws:sqs:us-east-1:000000000000:shared
denied="User: arn:aws:iam::111122223333:root is not authorized to perform: sqs:sendmessage on resource: $arn"
refused AccessDenied SendMessage "$denied" \
    as_other send-message --queue-url "$url" --message-body 'from outside'
sqs add-permission --queue-url "$url" --label writers --aws-account-ids 111122223333 \
    --actions SendMessage
policy='{"Version":"2008-10-17","Id":"'$arn'/SQSDefaultPolicy","Statement":[{"Sid":"writers","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111122223333:root"},"Action":"SQS:SendMessage","Resource":"'$arn'"}]}'
equal "the policy" \
    "$(sqs get-queue-attributes --queue-url "$url" --attribute-names Policy \
        --query Attributes.Policy)" "$policy"
as_other send-message --queue-url "$url" --message-body 'from outside' >/dev/null
equal "another account's message" \
    "$(sqs receive-message --queue-url "$url" --attribute-names SenderId \
        --query 'Messages[0].[Body,Attributes.SenderId]')" $'from outside\t111122223333'
sqs remove-permission --queue-url "$url" --label writers
refused AccessDenied SendMessage "$denied" \
    as_other send-message --queue-url "$url" --message-body 'from outside'
refused InvalidParameterValue RemovePermission \
    "Value writers for parameter Label is invalid. Reason: can't find label." \
    sqs remove-permission --queue-url "$url" --label writers

finish
echo "aws_cli.sh: $checks checks passed"
