// Errors by their code, text and status, each with the id of its request.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  arnOf,
  bodies,
  client,
  newQueue,
  OTHER,
  OWNER,
  receive,
  refused,
  send,
  startServer,
} from "./sqs.js";

const endpoint = await startServer();
const sqs = client(endpoint);
const NAMESPACE = "AWS.SimpleQueueService";
const TOO_LONG = "x".repeat(524_289);

const entries = (...ids) => ids.map((Id) => ({ Id, MessageBody: "a" }));
const sendBatch = (QueueUrl, Entries) => sqs.sendMessageBatch({ QueueUrl, Entries });
const set = (QueueUrl, Attributes) => sqs.setQueueAttributes({ QueueUrl, Attributes });

// What is called, the code and the text, and the status if it is not 400.
const ERRORS = {
  "a queue that is not there": [
    (QueueUrl) => sqs.sendMessage({ QueueUrl: `${QueueUrl}-other`, MessageBody: "a" }),
    `${NAMESPACE}.NonExistentQueue`,
    "The specified queue does not exist for this wsdl version.",
  ],
  "the same name with other attributes": [
    (url) =>
      sqs.createQueue({
        QueueName: url.split("/").at(-1),
        Attributes: { VisibilityTimeout: "31" },
      }),
    "QueueAlreadyExists",
    "A queue already exists with the same name and a different value for attribute " +
      "VisibilityTimeout",
  ],
  "an unknown attribute": [
    (url) => set(url, { Colour: "blue" }),
    "InvalidAttributeName",
    "Unknown Attribute Colour.",
  ],
  "an attribute's value out of range": [
    (url) => set(url, { VisibilityTimeout: "43201" }),
    "InvalidAttributeValue",
    "Invalid value for the parameter VisibilityTimeout.",
  ],
  "a forbidden character": [
    (QueueUrl) => sqs.sendMessage({ QueueUrl, MessageBody: "bell \x07" }),
    "InvalidMessageContents",
    "Invalid binary character '#x7' was found in the message body, the set of allowed " +
      "characters is #x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | [#x10000-#x10FFFF].",
  ],
  "a receipt handle that is none": [
    (QueueUrl) => sqs.deleteMessage({ QueueUrl, ReceiptHandle: "<no> & handle" }),
    "ReceiptHandleIsInvalid",
    'The input receipt handle "<no> & handle" is not a valid receipt handle.',
    404,
  ],
  "eleven entries": [
    (url) => sendBatch(url, entries(..."abcdefghijk")),
    `${NAMESPACE}.TooManyEntriesInBatchRequest`,
    "Maximum number of entries per request are 10. You have sent 11.",
  ],
  "no entry": [
    (url) => sendBatch(url, []),
    `${NAMESPACE}.EmptyBatchRequest`,
    "There should be at least one SendMessageBatchRequestEntry in the request.",
  ],
  "an id twice": [
    (url) => sendBatch(url, entries("1", "2", "2", "1")),
    `${NAMESPACE}.BatchEntryIdsNotDistinct`,
    "Id 2 repeated.",
  ],
  "a bad id": [
    (url) => sendBatch(url, entries("a", "b c")),
    `${NAMESPACE}.InvalidBatchEntryId`,
    "A batch entry id can only contain alphanumeric characters, hyphens and underscores. " +
      "It can be at most 80 letters long.",
  ],
  "a batch that is too long": [
    (url) =>
      sendBatch(
        url,
        ["a", "b"].map((Id) => ({ Id, MessageBody: TOO_LONG })),
      ),
    `${NAMESPACE}.BatchRequestTooLong`,
    "Batch requests cannot be longer than 1048576 bytes. You have sent 1048578 bytes.",
  ],
  "list values": [
    (QueueUrl) =>
      sqs.sendMessage({
        QueueUrl,
        MessageBody: "a",
        MessageAttributes: { list: { DataType: "String", StringListValues: ["a"] } },
      }),
    `${NAMESPACE}.UnsupportedOperation`,
    "Message attribute list values in SendMessage operation are not supported.",
  ],
  "eleven messages": [
    (QueueUrl) => sqs.receiveMessage({ QueueUrl, MaxNumberOfMessages: 11 }),
    "InvalidParameterValue",
    "Value 11 for parameter MaxNumberOfMessages is invalid. " +
      "Reason: Must be between 1 and 10, if provided.",
  ],
  "an empty body": [
    (QueueUrl) => sqs.sendMessage({ QueueUrl, MessageBody: "" }),
    "MissingParameter",
    "The request must contain the parameter MessageBody.",
  ],
};

for (const [title, [call, code, message, status]] of Object.entries(ERRORS)) {
  test(title, async () => {
    await refused(call(await newQueue(sqs)), { code, message, status });
  });
}

test("a second purge within 60 seconds", async () => {
  const QueueUrl = await newQueue(sqs);
  await sqs.purgeQueue({ QueueUrl }).promise();
  await refused(sqs.purgeQueue({ QueueUrl }), {
    code: `${NAMESPACE}.PurgeQueueInProgress`,
    message:
      `Only one PurgeQueue operation on ${QueueUrl.split("/").at(-1)} ` +
      "is allowed every 60 seconds.",
    status: 403,
  });
});

test("a queue made again within 60 seconds of its end", async () => {
  const QueueUrl = await newQueue(sqs);
  await sqs.deleteQueue({ QueueUrl }).promise();
  await refused(sqs.createQueue({ QueueName: QueueUrl.split("/").at(-1) }), {
    code: `${NAMESPACE}.QueueDeletedRecently`,
    message:
      "You must wait 60 seconds after deleting a queue before you can create another with the " +
      "same name.",
  });
});

test("a wrong secret, an unknown key, and a clock that is wrong", async () => {
  const QueueUrl = await newQueue(sqs);
  const sends = (credentials, more) =>
    client(endpoint, credentials, more).sendMessage({ QueueUrl, MessageBody: "a" });
  await refused(sends({ ...OWNER, secret: "wrong" }), {
    code: "SignatureDoesNotMatch",
    message:
      "The request signature we calculated does not match the signature you provided. Check your " +
      "AWS Secret Access Key and signing method. Consult the service documentation for details.",
    status: 403,
  });
  await refused(sends({ ...OWNER, key: "AKIDEXAMPLE" }), {
    code: "InvalidClientTokenId",
    message: "The security token included in the request is invalid.",
    status: 403,
  });
  const late = sends(OWNER, { systemClockOffset: -16 * 60 * 1000 });
  await assert.rejects(late.promise(), {
    code: "SignatureDoesNotMatch",
    statusCode: 403,
    message: /^Signature expired: \d{8}T\d{6}Z is now earlier than /,
  });
  assert.deepEqual(await receive(sqs, QueueUrl), [], "nothing of it was stored");
});

test("another account is let in where a permission says so", async () => {
  const QueueUrl = await newQueue(sqs);
  const arn = await arnOf(sqs, QueueUrl);
  const other = client(endpoint, OTHER);
  const denied = {
    code: "AccessDenied",
    message:
      `User: arn:aws:iam::${OTHER.account}:root is not authorized to perform: sqs:sendmessage on ` +
      `resource: ${arn} because no identity-based policy allows the sqs:sendmessage action`,
    status: 403,
  };
  await refused(other.sendMessage({ QueueUrl, MessageBody: "a" }), denied);
  await sqs
    .addPermission({
      QueueUrl,
      Label: "writers",
      AWSAccountIds: [OTHER.account, "444455556666"],
      Actions: ["SendMessage", "GetQueueUrl"],
    })
    .promise();
  await send(other, QueueUrl, "from outside");
  assert.deepEqual(bodies(await receive(sqs, QueueUrl)), ["from outside"]);
  await sqs.removePermission({ QueueUrl, Label: "writers" }).promise();
  await refused(other.sendMessage({ QueueUrl, MessageBody: "a" }), denied);
});
