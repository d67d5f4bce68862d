// Dead-letter queues, and the tasks that move messages out of them.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  CancelMessageMoveTaskCommand,
  ListDeadLetterSourceQueuesCommand,
  ListMessageMoveTasksCommand,
  ResourceNotFoundException,
  SetQueueAttributesCommand,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";

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
} from "./fake_sqs.js";

const endpoint = await startServer();
const sqs = client(endpoint);

/** A dead-letter queue, and a queue whose messages go there after `maxReceiveCount` receives. */
async function pair(attributes = {}, maxReceiveCount = 1) {
  const dead = await newQueue(sqs, attributes);
  const deadArn = await arnOf(sqs, dead);
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: deadArn, maxReceiveCount });
  const source = await newQueue(sqs, { ...attributes, RedrivePolicy });
  return { dead, deadArn, source };
}

/** Sends messages and fails them until they lie in the dead-letter queue. */
async function fail(source, ...all) {
  for (const body of all) {
    await send(sqs, source, body);
  }
  const given = await receive(sqs, source, { VisibilityTimeout: 0 });
  assert.deepEqual(bodies(given), all);
  assert.deepEqual(await receive(sqs, source), [], "they are dead letters now");
}

/** The move tasks of a queue, once the newest of them has ended. */
async function endedTasks(SourceArn, idle) {
  for (let tries = 0; tries < 10; tries += 1) {
    const { Results } = await sqs.send(
      new ListMessageMoveTasksCommand({ SourceArn, MaxResults: 10 }),
    );
    if (Results[0].Status !== "RUNNING") {
      return Results;
    }
    // A second of long polling is the pause between two looks.
    await receive(sqs, idle, { WaitTimeSeconds: 1 });
  }
  return assert.fail("the task has not ended");
}

test("a message received too often goes to the dead-letter queue", async () => {
  const { dead, source } = await pair({}, 2);
  const sent = await send(sqs, source, "one");
  for (let receives = 0; receives < 2; receives += 1) {
    assert.deepEqual(bodies(await receive(sqs, source, { VisibilityTimeout: 0 })), ["one"]);
  }
  assert.deepEqual(await receive(sqs, source), []);
  const [message] = await receive(sqs, dead, { MessageSystemAttributeNames: ["All"] });
  assert.equal(message.MessageId, sent.MessageId);
  assert.equal(message.Attributes.ApproximateReceiveCount, "3");
  assert.equal(message.Attributes.DeadLetterQueueSourceArn, await arnOf(sqs, source));
});

test("a FIFO queue has a FIFO dead-letter queue, and the group goes on", async () => {
  const fifo = { FifoQueue: "true", ContentBasedDeduplication: "true" };
  const { dead, source } = await pair(fifo);
  await send(sqs, source, "one", { MessageGroupId: "g" });
  await send(sqs, source, "two", { MessageGroupId: "g" });
  const one = { MaxNumberOfMessages: 1, VisibilityTimeout: 0 };
  assert.deepEqual(bodies(await receive(sqs, source, one)), ["one"]);
  assert.deepEqual(bodies(await receive(sqs, source, one)), ["two"]);
  assert.deepEqual(bodies(await receive(sqs, dead)), ["one"]);
});

test("the sources of a dead-letter queue are listed", async () => {
  const { dead, source } = await pair();
  const list = (QueueUrl) => sqs.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl }));
  assert.deepEqual((await list(dead)).queueUrls, [source]);
  assert.equal((await list(source)).queueUrls, undefined);
});

test("a dead-letter queue must exist and may refuse its sources", async () => {
  const { dead, deadArn, source } = await pair();
  const target = (deadLetterTargetArn) => {
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 1 });
    const Attributes = { RedrivePolicy };
    return sqs.send(new SetQueueAttributesCommand({ QueueUrl: source, Attributes }));
  };
  await refused(() => target(`${deadArn}-other`), {
    code: "InvalidParameterValue",
    message:
      `Value {"deadLetterTargetArn":"${deadArn}-other","maxReceiveCount":1} for parameter ` +
      "RedrivePolicy is invalid. Reason: Dead letter target does not exist.",
  });
  await sqs.send(
    new SetQueueAttributesCommand({
      QueueUrl: dead,
      Attributes: { RedriveAllowPolicy: JSON.stringify({ redrivePermission: "denyAll" }) },
    }),
  );
  await assert.rejects(target(deadArn), { name: "InvalidParameterValue" });
});

test("a task moves dead letters back to where they came from", async () => {
  const { deadArn, source } = await pair();
  await fail(source, "one", "two");
  const { TaskHandle } = await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: deadArn }));
  assert.equal(typeof TaskHandle, "string");
  const [task] = await endedTasks(deadArn, await newQueue(sqs));
  assert.equal(task.Status, "COMPLETED");
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
  const start = new StartMessageMoveTaskCommand({
    SourceArn: deadArn,
    DestinationArn,
    MaxNumberOfMessagesPerSecond: 1,
  });
  await frozen(endpoint, async (advance) => {
    const { TaskHandle } = await sqs.send(start);
    const { Results } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn: deadArn }));
    const [task] = Results;
    assert.equal(task.Status, "RUNNING");
    assert.equal(task.TaskHandle, TaskHandle);
    assert.equal(task.DestinationArn, DestinationArn);
    assert.equal(task.MaxNumberOfMessagesPerSecond, 1);
    assert.equal(task.ApproximateNumberOfMessagesToMove, 3);
    await refused(() => sqs.send(start), {
      code: "InvalidParameterValue",
      message:
        "There is already a task running. Only one active task is allowed for a source queue arn " +
        "at a given time.",
    });
    await advance(1);
    assert.equal((await receive(sqs, destination)).length, 1, "one comes in a second");
    const cancel = new CancelMessageMoveTaskCommand({ TaskHandle });
    assert.equal((await sqs.send(cancel)).ApproximateNumberOfMessagesMoved, 1);
    await refused(() => sqs.send(cancel), {
      code: "InvalidParameterValue",
      message: "Only active tasks can be cancelled.",
    });
  });
});

test("what a task names must exist", async () => {
  const { deadArn } = await pair();
  const missing = (which) => ({
    type: ResourceNotFoundException,
    code: "ResourceNotFoundException",
    message: `The resource that you specified for the ${which} parameter doesn't exist.`,
    status: 404,
  });
  const start = (more) => () => sqs.send(new StartMessageMoveTaskCommand(more));
  await refused(start({ SourceArn: `${deadArn}-other` }), missing("SourceArn"));
  const nowhere = { SourceArn: deadArn, DestinationArn: `${deadArn}-other` };
  await refused(start(nowhere), missing("DestinationArn"));
  const handle = { taskId: "00000000-0000-0000-0000-000000000000", sourceArn: deadArn };
  const TaskHandle = Buffer.from(JSON.stringify(handle)).toString("base64");
  await refused(() => sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle })), {
    ...missing("TaskHandle"),
    message: "Task does not exist.",
  });
});
