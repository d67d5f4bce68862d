// FIFO queues: order in a group, groups apart, deduplication, attempt ids, batches.

import assert from "node:assert/strict";
import { test } from "node:test";

import { bodies, client, newQueue, receive, refused, send, startServer } from "./sqs.js";

const endpoint = await startServer();
const sqs = client(endpoint);

const newFifo = (more = {}) => newQueue(sqs, { FifoQueue: "true", ...more });
const byContent = () => newFifo({ ContentBasedDeduplication: "true" });
const inGroup = (MessageGroupId, more = {}) => ({ MessageGroupId, ...more });
const remove = (QueueUrl, { ReceiptHandle }) => sqs.deleteMessage({ QueueUrl, ReceiptHandle });

test("a group keeps its order, and groups are apart", async () => {
  const QueueUrl = await byContent();
  const numbers = [];
  for (const [body, group] of [["a1", "a"], ["b1", "b"], ["a2", "a"]]) {
    numbers.push((await send(sqs, QueueUrl, body, inGroup(group))).SequenceNumber);
  }
  assert(numbers.every((number) => /^\d{20}$/.test(number)), `${numbers}`);
  assert.deepEqual(numbers, [...numbers].sort());
  const [first] = await receive(sqs, QueueUrl, { MaxNumberOfMessages: 1 });
  assert.equal(first.Body, "a1");
  assert.deepEqual(bodies(await receive(sqs, QueueUrl)), ["b1"], "a2 waits for a1");
  await remove(QueueUrl, first).promise();
  const [second] = await receive(sqs, QueueUrl, { AttributeNames: ["All"] });
  assert.equal(second.Body, "a2");
  assert.equal(second.Attributes.MessageGroupId, "a");
  assert.equal(second.Attributes.SequenceNumber, numbers[2]);
});

test("a duplicate is accepted and not stored", async () => {
  const QueueUrl = await newFifo();
  const once = inGroup("g", { MessageDeduplicationId: "d" });
  const first = await send(sqs, QueueUrl, "first", once);
  // The SDK checks the digest of what it sent, not of what is stored.
  const again = await send(sqs, QueueUrl, "again", once);
  assert.equal(again.MessageId, first.MessageId);
  assert.deepEqual(bodies(await receive(sqs, QueueUrl)), ["first"]);
});

test("a receive is had again by its attempt id", async () => {
  const QueueUrl = await byContent();
  await send(sqs, QueueUrl, "one", inGroup("g"));
  const attempt = { ReceiveRequestAttemptId: "attempt-1" };
  const first = await receive(sqs, QueueUrl, attempt);
  assert.deepEqual(bodies(first), ["one"]);
  assert.deepEqual(await receive(sqs, QueueUrl, attempt), first);
  assert.deepEqual(await receive(sqs, QueueUrl), []);
});

test("a handle whose time is over deletes nothing", async () => {
  const QueueUrl = await byContent();
  await send(sqs, QueueUrl, "one", inGroup("g"));
  const [late] = await receive(sqs, QueueUrl, { VisibilityTimeout: 1 });
  const [again] = await receive(sqs, QueueUrl, { WaitTimeSeconds: 10 });
  await refused(remove(QueueUrl, late), {
    code: "InvalidParameterValue",
    message:
      `Value ${late.ReceiptHandle} for parameter ReceiptHandle is invalid. ` +
      "Reason: The receipt handle has expired.",
  });
  await remove(QueueUrl, again).promise();
});

test("a message needs a group and a deduplication id", async () => {
  const QueueUrl = await newFifo();
  await refused(sqs.sendMessage({ QueueUrl, MessageBody: "a" }), {
    code: "MissingParameter",
    message: "The request must contain the parameter MessageGroupId.",
  });
  await refused(sqs.sendMessage({ QueueUrl, MessageBody: "a", MessageGroupId: "g" }), {
    code: "InvalidParameterValue",
    message:
      "The queue should either have ContentBasedDeduplication enabled or " +
      "MessageDeduplicationId provided explicitly",
  });
});

test("a batch keeps its order, and fails as a whole without a group", async () => {
  const QueueUrl = await byContent();
  const batch = (...Entries) => sqs.sendMessageBatch({ QueueUrl, Entries });
  const entry = (Id, more) => ({ Id, MessageBody: Id, ...more });
  await refused(batch(entry("a", inGroup("g")), entry("b")), {
    code: "InvalidParameterValue",
    message: "The request must contain the parameter MessageGroupId.",
  });
  assert.deepEqual(await receive(sqs, QueueUrl), [], "nothing of it is stored");

  const { Successful, Failed } = await batch(
    ...["a", "b", "c"].map((id) => entry(id, inGroup("g"))),
    { ...entry("d", inGroup("g")), MessageBody: "a" },
  ).promise();
  assert.deepEqual(Failed, []);
  assert.deepEqual(Successful.map(({ Id }) => Id), ["a", "b", "c", "d"]);
  assert(Successful.every(({ SequenceNumber }) => /^\d{20}$/.test(SequenceNumber)));
  assert.deepEqual(bodies(await receive(sqs, QueueUrl)), ["a", "b", "c"]);
});
