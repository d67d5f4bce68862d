// FIFO queues: order in a group, groups apart, deduplication, attempt ids, what batches refuse.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  InvalidAttributeName,
  SendMessageBatchCommand,
} from "@aws-sdk/client-sqs";

import { bodies, client, newQueue, receive, refused, send, startServer } from "./fake_sqs.js";

const endpoint = await startServer();
const sqs = client(endpoint);

const newFifo = (more = {}) => newQueue(sqs, { FifoQueue: "true", ...more });
const byContent = () => newFifo({ ContentBasedDeduplication: "true" });
const inGroup = (MessageGroupId, more = {}) => ({ MessageGroupId, ...more });
const remove = (QueueUrl, { ReceiptHandle }) =>
  sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));

test("a FIFO queue shows what it is", async () => {
  const QueueUrl = await newFifo();
  assert.match(QueueUrl, /\.fifo$/);
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: [
        "FifoQueue",
        "ContentBasedDeduplication",
        "DeduplicationScope",
        "FifoThroughputLimit",
      ],
    }),
  );
  assert.deepEqual(Attributes, {
    FifoQueue: "true",
    ContentBasedDeduplication: "false",
    DeduplicationScope: "queue",
    FifoThroughputLimit: "perQueue",
  });
});

test("a group keeps its order and waits for what is in flight", async () => {
  const QueueUrl = await byContent();
  for (const [body, group] of [["a1", "a"], ["b1", "b"], ["a2", "a"], ["a3", "a"]]) {
    await send(sqs, QueueUrl, body, inGroup(group));
  }
  const first = await receive(sqs, QueueUrl, { MaxNumberOfMessages: 1 });
  assert.deepEqual(bodies(first), ["a1"]);
  const others = await receive(sqs, QueueUrl);
  assert.deepEqual(bodies(others), ["b1"], "a2 and a3 wait for a1");
  await remove(QueueUrl, first[0]);
  assert.deepEqual(bodies(await receive(sqs, QueueUrl)), ["a2", "a3"]);
});

test("sequence numbers rise and come back with the message", async () => {
  const QueueUrl = await byContent();
  const one = await send(sqs, QueueUrl, "one", inGroup("g"));
  const two = await send(sqs, QueueUrl, "two", inGroup("g"));
  assert.match(one.SequenceNumber, /^\d{20}$/);
  assert(one.SequenceNumber < two.SequenceNumber);
  const [message] = await receive(sqs, QueueUrl, { MessageSystemAttributeNames: ["All"] });
  const { SequenceNumber, MessageGroupId, MessageDeduplicationId } = message.Attributes;
  assert.equal(SequenceNumber, one.SequenceNumber);
  assert.equal(MessageGroupId, "g");
  assert.match(MessageDeduplicationId, /^[0-9a-f]{64}$/, "the SHA-256 of the body");
});

test("a duplicate is accepted and not stored, even when the first one is deleted", async () => {
  const QueueUrl = await newFifo();
  const same = inGroup("g", { MessageDeduplicationId: "d" });
  const first = await send(sqs, QueueUrl, "first", same);
  const again = await send(sqs, QueueUrl, "again", { ...same, MessageGroupId: "other" });
  assert.equal(again.MessageId, first.MessageId);
  const [message, ...more] = await receive(sqs, QueueUrl);
  assert.deepEqual([message.Body, more], ["first", []]);
  await remove(QueueUrl, message);
  await send(sqs, QueueUrl, "third", same);
  assert.deepEqual(await receive(sqs, QueueUrl), []);
});

test("an id is a duplicate in its group alone when the queue says so", async () => {
  const QueueUrl = await newFifo({ DeduplicationScope: "messageGroup" });
  for (const group of ["a", "b", "a"]) {
    await send(sqs, QueueUrl, group, inGroup(group, { MessageDeduplicationId: "d" }));
  }
  assert.deepEqual(bodies(await receive(sqs, QueueUrl)), ["a", "b"]);
});

test("a receive is had again by its attempt id", async () => {
  const QueueUrl = await byContent();
  await send(sqs, QueueUrl, "one", inGroup("g"));
  const ReceiveRequestAttemptId = "attempt-1";
  const first = await receive(sqs, QueueUrl, { ReceiveRequestAttemptId });
  const again = await receive(sqs, QueueUrl, { ReceiveRequestAttemptId });
  assert.deepEqual(again, first, "the same message with the same handle");
  assert.deepEqual(await receive(sqs, QueueUrl), []);
  await remove(QueueUrl, first[0]);
  await refused(() => receive(sqs, QueueUrl, { ReceiveRequestAttemptId }), {
    code: "InvalidParameterValue",
    message:
      "Value attempt-1 for parameter ReceiveRequestAttemptId is invalid. Reason: The " +
      "receiveRequestAttemptId is not valid anymore since the receive call is not retryable.",
  });
});

test("a handle whose time is over deletes nothing", async () => {
  const QueueUrl = await byContent();
  await send(sqs, QueueUrl, "one", inGroup("g"));
  const [{ ReceiptHandle }] = await receive(sqs, QueueUrl, { VisibilityTimeout: 1 });
  const [again] = await receive(sqs, QueueUrl, { WaitTimeSeconds: 10 });
  await refused(() => remove(QueueUrl, { ReceiptHandle }), {
    code: "InvalidParameterValue",
    message:
      `Value ${ReceiptHandle} for parameter ReceiptHandle is invalid. ` +
      "Reason: The receipt handle has expired.",
  });
  await sqs.send(
    new ChangeMessageVisibilityCommand({
      QueueUrl,
      ReceiptHandle: again.ReceiptHandle,
      VisibilityTimeout: 60,
    }),
  );
  await remove(QueueUrl, again);
});

test("a message needs a group and a deduplication id, and no delay of its own", async () => {
  const QueueUrl = await newFifo();
  await refused(() => send(sqs, QueueUrl, "a"), {
    code: "MissingParameter",
    message: "The request must contain the parameter MessageGroupId.",
  });
  await refused(() => send(sqs, QueueUrl, "a", inGroup("g")), {
    code: "InvalidParameterValue",
    message:
      "The queue should either have ContentBasedDeduplication enabled or " +
      "MessageDeduplicationId provided explicitly",
  });
  const delayed = inGroup("g", { MessageDeduplicationId: "d", DelaySeconds: 1 });
  await refused(() => send(sqs, QueueUrl, "a", delayed), {
    code: "InvalidParameterValue",
    message:
      "Value 1 for parameter DelaySeconds is invalid. Reason: The request include parameter " +
      "that is not valid for this queue type.",
  });
});

test("a batch keeps its order, and fails as a whole without a group", async () => {
  const QueueUrl = await byContent();
  const batch = (...Entries) => sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  const entry = (Id, more) => ({ Id, MessageBody: Id, ...more });
  await refused(() => batch(entry("a", inGroup("g")), entry("b")), {
    code: "InvalidParameterValue",
    message: "The request must contain the parameter MessageGroupId.",
  });
  assert.deepEqual(await receive(sqs, QueueUrl), [], "nothing of it is stored");

  const { Successful, Failed } = await batch(
    ...["a", "b", "c"].map((id) => entry(id, inGroup("g"))),
    { ...entry("d", inGroup("g")), MessageBody: "a" },
  );
  assert.equal(Failed, undefined);
  assert.deepEqual(Successful.map(({ Id }) => Id), ["a", "b", "c", "d"]);
  assert(Successful.every(({ SequenceNumber }) => /^\d{20}$/.test(SequenceNumber)));
  assert.deepEqual(bodies(await receive(sqs, QueueUrl)), ["a", "b", "c"]);
});

test("a FIFO queue's name ends in .fifo, and a standard queue has no FIFO attributes", async () => {
  const create = (QueueName, Attributes) => () =>
    sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  await refused(create("orders", { FifoQueue: "true" }), {
    code: "InvalidParameterValue",
    message:
      "The name of a FIFO queue can only include alphanumeric characters, hyphens, or " +
      "underscores, must end with .fifo suffix and be 1 to 80 in length.",
  });
  await refused(create("orders", { ContentBasedDeduplication: "true" }), {
    type: InvalidAttributeName,
    code: "InvalidAttributeName",
    message: "Unknown Attribute ContentBasedDeduplication.",
  });
});
