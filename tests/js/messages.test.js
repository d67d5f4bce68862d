// Messages: send, receive, hide, delete, one by one and in batches. The SDK itself checks the MD5
// of each body that it sends or receives.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  PurgeQueueCommand,
  paginateListQueues,
  SendMessageBatchCommand,
  SetQueueAttributesCommand,
} from "@aws-sdk/client-sqs";

import { bodies, client, frozen, newQueue, receive, send, startServer } from "./fake_sqs.js";

const endpoint = await startServer();
const sqs = client(endpoint);

test("a message comes back and is deleted", async () => {
  const QueueUrl = await newQueue(sqs);
  const sent = await send(sqs, QueueUrl, "héllo ☃ 😀");
  assert.equal(sent.MD5OfMessageBody, "44314d05b09b74dafda26d5273d91a17");
  assert.equal(sent.MD5OfMessageAttributes, undefined);
  assert.equal(sent.SequenceNumber, undefined);

  const [message, ...more] = await receive(sqs, QueueUrl);
  assert.deepEqual(more, []);
  const members = ["Body", "MD5OfBody", "MessageId", "ReceiptHandle"];
  assert.deepEqual(Object.keys(message).sort(), members);
  assert.equal(message.Body, "héllo ☃ 😀");
  assert.equal(message.MessageId, sent.MessageId);
  assert.deepEqual(await receive(sqs, QueueUrl), [], "it is in flight");
  await sqs.send(
    new ChangeMessageVisibilityCommand({
      QueueUrl,
      ReceiptHandle: message.ReceiptHandle,
      VisibilityTimeout: 0,
    }),
  );
  const [again] = await receive(sqs, QueueUrl);
  assert.equal(again.MessageId, sent.MessageId);
  const { $metadata } = await sqs.send(
    new DeleteMessageCommand({ QueueUrl, ReceiptHandle: again.ReceiptHandle }),
  );
  assert.equal($metadata.httpStatusCode, 200);
});

test("attributes come back with their digest", async () => {
  const QueueUrl = await newQueue(sqs);
  const MessageAttributes = {
    color: { DataType: "String", StringValue: "blue" },
    count: { DataType: "Number", StringValue: "3" },
    blob: { DataType: "Binary", BinaryValue: new Uint8Array([1, 2, 3]) },
  };
  const sent = await send(sqs, QueueUrl, "a", { MessageAttributes });
  assert.equal(sent.MD5OfMessageAttributes, "d838729972a4b70e2d2acd9d59ac847c");
  const [message] = await receive(sqs, QueueUrl, { MessageAttributeNames: ["All"] });
  assert.deepEqual(message.MessageAttributes, MessageAttributes);
  assert.equal(message.MD5OfMessageAttributes, sent.MD5OfMessageAttributes);
});

test("system attributes come back", async () => {
  const QueueUrl = await newQueue(sqs);
  const StringValue =
    "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1";
  const sent = await send(sqs, QueueUrl, "a", {
    MessageSystemAttributes: { AWSTraceHeader: { DataType: "String", StringValue } },
  });
  assert.equal(sent.MD5OfMessageSystemAttributes, "5ae4d5d7636402d80f4eb6d213245a88");
  const [message] = await receive(sqs, QueueUrl, { MessageSystemAttributeNames: ["All"] });
  const { AWSTraceHeader, SenderId, ApproximateReceiveCount } = message.Attributes;
  assert.deepEqual([AWSTraceHeader, SenderId, ApproximateReceiveCount], [
    StringValue,
    "000000000000",
    "1",
  ]);
});

test("a batch answers entry by entry", async () => {
  const QueueUrl = await newQueue(sqs);
  const batch = await sqs.send(
    new SendMessageBatchCommand({
      QueueUrl,
      Entries: [
        { Id: "good", MessageBody: "one" },
        { Id: "late", MessageBody: "two", DelaySeconds: 901 },
        { Id: "fine", MessageBody: "three" },
      ],
    }),
  );
  assert.deepEqual(batch.Successful.map(({ Id }) => Id), ["good", "fine"]);
  assert.deepEqual(batch.Failed, [
    {
      Id: "late",
      Code: "InvalidParameterValue",
      Message:
        "Value 901 for parameter DelaySeconds is invalid. " +
        "Reason: DelaySeconds must be >= 0 and <= 900.",
      SenderFault: true,
    },
  ]);

  const messages = await receive(sqs, QueueUrl);
  assert.deepEqual(bodies(messages), ["one", "three"]);
  const entries = messages.map(({ ReceiptHandle }, n) => ({ Id: `${n}`, ReceiptHandle }));
  const hidden = await sqs.send(
    new ChangeMessageVisibilityBatchCommand({
      QueueUrl,
      Entries: entries.map((entry) => ({ ...entry, VisibilityTimeout: 60 })),
    }),
  );
  assert.equal(hidden.Successful.length, 2);
  assert.equal(hidden.Failed, undefined, "an empty list is left out");
  const deleted = await sqs.send(
    new DeleteMessageBatchCommand({
      QueueUrl,
      Entries: [...entries, { Id: "none", ReceiptHandle: "none" }],
    }),
  );
  assert.deepEqual(deleted.Successful, [{ Id: "0" }, { Id: "1" }]);
  assert.deepEqual(deleted.Failed, [
    {
      Id: "none",
      Code: "ReceiptHandleIsInvalid",
      Message: 'The input receipt handle "none" is not a valid receipt handle.',
      SenderFault: true,
    },
  ]);
});

test("a long poll is woken by a send", async () => {
  const QueueUrl = await newQueue(sqs);
  // It is the message that ends the poll, since the time stands.
  await frozen(endpoint, async () => {
    const poll = receive(sqs, QueueUrl, { WaitTimeSeconds: 20 });
    await send(sqs, QueueUrl, "here");
    assert.deepEqual(bodies(await poll), ["here"]);
  });
});

test("a queue is made, found, changed, purged and deleted", async () => {
  const QueueName = "orders";
  const create = new CreateQueueCommand({ QueueName, Attributes: { VisibilityTimeout: "7" } });
  const { QueueUrl } = await sqs.send(create);
  assert.equal(QueueUrl, `${endpoint}/000000000000/orders`);
  assert.equal((await sqs.send(create)).QueueUrl, QueueUrl, "creating it again is no error");
  assert.equal((await sqs.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl, QueueUrl);
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { DelaySeconds: "900" } }));
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: ["VisibilityTimeout", "DelaySeconds"],
    }),
  );
  assert.deepEqual(Attributes, { VisibilityTimeout: "7", DelaySeconds: "900" });
  await sqs.send(new PurgeQueueCommand({ QueueUrl }));
  await sqs.send(new DeleteQueueCommand({ QueueUrl }));
  const { QueueUrls } = await sqs.send(new ListQueuesCommand({ QueueNamePrefix: QueueName }));
  assert.equal(QueueUrls, undefined, "an empty list is left out");
});

test("queues are listed in pages", async () => {
  const names = ["page-1", "page-2", "page-3"];
  for (const QueueName of names) {
    await sqs.send(new CreateQueueCommand({ QueueName }));
  }
  const pages = [];
  const paginator = paginateListQueues({ client: sqs, pageSize: 2 }, { QueueNamePrefix: "page-" });
  for await (const { QueueUrls } of paginator) {
    pages.push(QueueUrls.map((url) => url.split("/").at(-1)));
  }
  assert.deepEqual(pages, [["page-1", "page-2"], ["page-3"]]);
});
