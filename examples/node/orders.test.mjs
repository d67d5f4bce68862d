// What a test with the helper looks like: `node --test`, with @aws-sdk/client-sqs installed.

import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";

import {
  CreateQueueCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";

import { startFakeSqs } from "./fake-sqs.mjs";

const server = await startFakeSqs();
const sqs = new SQSClient(server.config);

beforeEach(() => server.reset());
after(async () => {
  sqs.destroy();
  await server.stop();
});

test("a message that is not deleted comes back", async () => {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: "orders" }));
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "hello" }));
  const receive = async () => {
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    return Messages?.map(({ Body }) => Body) ?? [];
  };
  assert.deepEqual(await receive(), ["hello"]);
  assert.deepEqual(await receive(), []);
  await server.advance(30);
  assert.deepEqual(await receive(), ["hello"]);
});

test("every test begins with nothing", async () => {
  const { QueueUrls } = await sqs.send(new ListQueuesCommand({}));
  assert.equal(QueueUrls, undefined);
});
