// Every error that the server raises here is the SDK's own exception class.

import assert from "node:assert/strict";
import { test } from "node:test";

import * as model from "@aws-sdk/client-sqs";

import { client, newQueue, OWNER, receive, refused, send, startServer } from "./fake_sqs.js";

const endpoint = await startServer();
const sqs = client(endpoint);
const TOO_LONG = "x".repeat(524_289);

const entries = (...ids) => ids.map((Id) => ({ Id, MessageBody: "a" }));
const sendBatch = (QueueUrl, Entries) =>
  sqs.send(new model.SendMessageBatchCommand({ QueueUrl, Entries }));
const set = (QueueUrl, Attributes) =>
  sqs.send(new model.SetQueueAttributesCommand({ QueueUrl, Attributes }));

// What is called, its exception class, query code and text, and the status if it is not 400.
const MODELLED = {
  "a queue that is not there": [
    (url) => send(sqs, `${url}-other`, "a"),
    "QueueDoesNotExist",
    "AWS.SimpleQueueService.NonExistentQueue",
    "The specified queue does not exist.",
  ],
  "the same name with other attributes": [
    (url) =>
      sqs.send(
        new model.CreateQueueCommand({
          QueueName: url.split("/").at(-1),
          Attributes: { VisibilityTimeout: "31" },
        }),
      ),
    "QueueNameExists",
    "QueueAlreadyExists",
    "A queue already exists with the same name and a different value for attribute " +
      "VisibilityTimeout",
  ],
  "an unknown attribute": [
    (url) => set(url, { Colour: "blue" }),
    "InvalidAttributeName",
    "InvalidAttributeName",
    "Unknown Attribute Colour.",
  ],
  "an attribute's value out of range": [
    (url) => set(url, { VisibilityTimeout: "43201" }),
    "InvalidAttributeValue",
    "InvalidAttributeValue",
    "Invalid value for the parameter VisibilityTimeout.",
  ],
  "a forbidden character": [
    (url) => send(sqs, url, "bell \x07"),
    "InvalidMessageContents",
    "InvalidMessageContents",
    "Invalid binary character '#x7' was found in the message body, the set of allowed " +
      "characters is #x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | [#x10000-#x10FFFF].",
  ],
  "a receipt handle that is none": [
    (url) =>
      sqs.send(new model.DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: "no handle" })),
    "ReceiptHandleIsInvalid",
    "ReceiptHandleIsInvalid",
    'The input receipt handle "no handle" is not a valid receipt handle.',
    404,
  ],
  "eleven entries": [
    (url) => sendBatch(url, entries(..."abcdefghijk")),
    "TooManyEntriesInBatchRequest",
    "AWS.SimpleQueueService.TooManyEntriesInBatchRequest",
    "Maximum number of entries per request are 10. You have sent 11.",
  ],
  "no entry": [
    (url) => sendBatch(url, []),
    "EmptyBatchRequest",
    "AWS.SimpleQueueService.EmptyBatchRequest",
    "There should be at least one SendMessageBatchRequestEntry in the request.",
  ],
  "an id twice": [
    (url) => sendBatch(url, entries("1", "2", "2", "1")),
    "BatchEntryIdsNotDistinct",
    "AWS.SimpleQueueService.BatchEntryIdsNotDistinct",
    "Id 2 repeated.",
  ],
  "a bad id": [
    (url) => sendBatch(url, entries("a", "b c")),
    "InvalidBatchEntryId",
    "AWS.SimpleQueueService.InvalidBatchEntryId",
    "A batch entry id can only contain alphanumeric characters, hyphens and underscores. " +
      "It can be at most 80 letters long.",
  ],
  "a batch that is too long": [
    (url) =>
      sendBatch(
        url,
        ["a", "b"].map((Id) => ({ Id, MessageBody: TOO_LONG })),
      ),
    "BatchRequestTooLong",
    "AWS.SimpleQueueService.BatchRequestTooLong",
    "Batch requests cannot be longer than 1048576 bytes. You have sent 1048578 bytes.",
  ],
  "list values": [
    (url) =>
      send(sqs, url, "a", {
        MessageAttributes: { list: { DataType: "String", StringListValues: ["a"] } },
      }),
    "UnsupportedOperation",
    "AWS.SimpleQueueService.UnsupportedOperation",
    "Message attribute list values in SendMessage operation are not supported.",
  ],
};

for (const [title, [call, name, code, message, status]] of Object.entries(MODELLED)) {
  test(title, async () => {
    const url = await newQueue(sqs);
    const type = model[name];
    assert.equal(typeof type, "function", `the SDK has no class ${name}`);
    await refused(() => call(url), { type, code, message, status });
  });
}

test("a second purge within 60 seconds", async () => {
  const QueueUrl = await newQueue(sqs);
  const purge = new model.PurgeQueueCommand({ QueueUrl });
  await sqs.send(purge);
  await refused(() => sqs.send(purge), {
    type: model.PurgeQueueInProgress,
    code: "AWS.SimpleQueueService.PurgeQueueInProgress",
    message:
      `Only one PurgeQueue operation on ${QueueUrl.split("/").at(-1)} ` +
      "is allowed every 60 seconds.",
    status: 403,
  });
});

test("a queue made again within 60 seconds of its end", async () => {
  const QueueUrl = await newQueue(sqs);
  await sqs.send(new model.DeleteQueueCommand({ QueueUrl }));
  const create = new model.CreateQueueCommand({ QueueName: QueueUrl.split("/").at(-1) });
  await refused(() => sqs.send(create), {
    type: model.QueueDeletedRecently,
    code: "AWS.SimpleQueueService.QueueDeletedRecently",
    message:
      "You must wait 60 seconds after deleting a queue before you can create another with the " +
      "same name.",
  });
});

// The SDK names these by their query code.
test("errors that Amazon's model does not name", async () => {
  const url = await newQueue(sqs);
  await refused(() => receive(sqs, url, { MaxNumberOfMessages: 11 }), {
    code: "InvalidParameterValue",
    message:
      "Value 11 for parameter MaxNumberOfMessages is invalid. " +
      "Reason: Must be between 1 and 10, if provided.",
  });
  await refused(() => send(sqs, url, ""), {
    code: "MissingParameter",
    message: "The request must contain the parameter MessageBody.",
  });
});

test("a wrong secret and an unknown key", async () => {
  const url = await newQueue(sqs);
  await refused(() => send(client(endpoint, { ...OWNER, secret: "wrong" }), url, "a"), {
    code: "SignatureDoesNotMatch",
    message:
      "The request signature we calculated does not match the signature you provided. Check your " +
      "AWS Secret Access Key and signing method. Consult the service documentation for details.",
    status: 403,
  });
  await refused(() => send(client(endpoint, { ...OWNER, key: "AKIDEXAMPLE" }), url, "a"), {
    code: "InvalidClientTokenId",
    message: "The security token included in the request is invalid.",
    status: 403,
  });
  assert.deepEqual(await receive(sqs, url), [], "nothing of it was stored");
});
