// Dead-letter queues, and the tasks that move messages out of them.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  arnOf,
  bodies,
  client,
  frozen,
  newQueue,
  receive,
  refused,
  send,
  startServer,
} from "./sqs.js";

const endpoint = await startServer();
const sqs = client(endpoint);

/** A dead-letter queue, and a queue whose messages go there after `maxReceiveCount` receives. */
async function pair(maxReceiveCount = 1) {
  const dead = await newQueue(sqs);
  const deadArn = await arnOf(sqs, dead);
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: deadArn, maxReceiveCount });
  const source = await newQueue(sqs, { RedrivePolicy });
  return { dead, deadArn, source };
}

/** Sends messages and fails them until they lie in the dead-letter queue. */
async function fail(source, ...all) {
  for (const body of all) {
    await send(sqs, source, body);
  }
  assert.deepEqual(bodies(await receive(sqs, source, { VisibilityTimeout: 0 })), all);
  assert.deepEqual(await receive(sqs, source), [], "they are dead letters now");
}

/** The move tasks of a queue, once the newest of them has ended. */
async function endedTasks(SourceArn, idle) {
  for (let tries = 0; tries < 10; tries += 1) {
    const { Results } = await sqs.listMessageMoveTasks({ SourceArn, MaxResults: 10 }).promise();
    if (Results[0].Status !== "RUNNING") {
      return Results;
    }
    // A second of long polling is the pause between two looks.
    await receive(sqs, idle, { WaitTimeSeconds: 1 });
  }
  return assert.fail("the task has not ended");
}

test("a message received too often goes to the dead-letter queue", async () => {
  const { dead, source } = await pair(2);
  const sent = await send(sqs, source, "one");
  for (let receives = 0; receives < 2; receives += 1) {
    assert.deepEqual(bodies(await receive(sqs, source, { VisibilityTimeout: 0 })), ["one"]);
  }
  assert.deepEqual(await receive(sqs, source), []);
  const [message] = await receive(sqs, dead, { AttributeNames: ["All"] });
  assert.equal(message.MessageId, sent.MessageId);
  assert.equal(message.Attributes.ApproximateReceiveCount, "3");
  assert.equal(message.Attributes.DeadLetterQueueSourceArn, await arnOf(sqs, source));
});

test("the sources of a dead-letter queue are listed", async () => {
  const { dead, source } = await pair();
  const list = (QueueUrl) => sqs.listDeadLetterSourceQueues({ QueueUrl }).promise();
  assert.deepEqual((await list(dead)).queueUrls, [source]);
  assert.equal((await list(source)).queueUrls, undefined);
});

test("a dead-letter queue must exist", async () => {
  const { deadArn, source } = await pair();
  const RedrivePolicy = JSON.stringify({
    deadLetterTargetArn: `${deadArn}-other`,
    maxReceiveCount: 1,
  });
  const Attributes = { RedrivePolicy };
  await refused(sqs.setQueueAttributes({ QueueUrl: source, Attributes }), {
    code: "InvalidParameterValue",
    message:
      `Value {"deadLetterTargetArn":"${deadArn}-other","maxReceiveCount":1} for parameter ` +
      "RedrivePolicy is invalid. Reason: Dead letter target does not exist.",
  });
});

test("a task moves dead letters back to where they came from", async () => {
  const { deadArn, source } = await pair();
  await fail(source, "one", "two");
  const { TaskHandle } = await sqs.startMessageMoveTask({ SourceArn: deadArn }).promise();
  assert.equal(typeof TaskHandle, "string");
  const [task] = await endedTasks(deadArn, await newQueue(sqs));
  assert.equal(task.Status, "COMPLETED");
  // Numbers, not text.
  assert.equal(task.ApproximateNumberOfMessagesMoved, 2);
  assert.equal(task.ApproximateNumberOfMessagesToMove, 2);
  assert.equal(task.TaskHandle, undefined);
  assert.deepEqual(bodies(await receive(sqs, source)), ["one", "two"]);
});

test("a task has a rate, runs alone, and can be cancelled", async () => {
  const { deadArn, source } = await pair();
  await fail(source, "one", "two", "three");
  const destination = await newQueue(sqs);
  const DestinationArn = await arnOf(sqs, destination);
  const start = () =>
    sqs.startMessageMoveTask({
      SourceArn: deadArn,
      DestinationArn,
      MaxNumberOfMessagesPerSecond: 1,
    });
  await frozen(endpoint, async (advance) => {
    const { TaskHandle } = await start().promise();
    const { Results } = await sqs.listMessageMoveTasks({ SourceArn: deadArn }).promise();
    const [task] = Results;
    assert.equal(task.Status, "RUNNING");
    assert.equal(task.TaskHandle, TaskHandle);
    assert.equal(task.DestinationArn, DestinationArn);
    assert.equal(task.MaxNumberOfMessagesPerSecond, 1);
    await refused(start(), {
      code: "InvalidParameterValue",
      message:
        "There is already a task running. Only one active task is allowed for a source queue arn " +
        "at a given time.",
    });
    await advance(1);
    assert.equal((await receive(sqs, destination)).length, 1, "one comes in a second");
    const cancelled = await sqs.cancelMessageMoveTask({ TaskHandle }).promise();
    assert.equal(cancelled.ApproximateNumberOfMessagesMoved, 1);
    await refused(sqs.cancelMessageMoveTask({ TaskHandle }), {
      code: "InvalidParameterValue",
      message: "Only active tasks can be cancelled.",
    });
  });
  await refused(sqs.startMessageMoveTask({ SourceArn: `${deadArn}-other` }), {
    code: "ResourceNotFoundException",
    message: "The resource that you specified for the SourceArn parameter doesn't exist.",
    status: 404,
  });
});
