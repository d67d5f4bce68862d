// Clients for a fake-sqs process, and what tests do with them.

import assert from "node:assert/strict";
import { after } from "node:test";

import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
  SQSServiceException,
} from "@aws-sdk/client-sqs";

import { BOUND_MS, OWNER } from "./server.js";

export { frozen, OTHER, OWNER, startServer } from "./server.js";

/** A client that signs as one of the accounts. A refusal is to be seen, not tried again. */
export function client(endpoint, { key, secret } = OWNER, more = {}) {
  const sqs = new SQSClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: key, secretAccessKey: secret },
    maxAttempts: 1,
    requestHandler: { connectionTimeout: BOUND_MS, requestTimeout: BOUND_MS },
    ...more,
  });
  after(() => sqs.destroy());
  return sqs;
}

let queues = 0;

/** Creates a queue whose name no other test uses; FIFO when the attributes say so. */
export async function newQueue(sqs, Attributes = {}) {
  queues += 1;
  const QueueName = `queue-${queues}${Attributes.FifoQueue ? ".fifo" : ""}`;
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  return QueueUrl;
}

/** The ARN of a queue. */
export async function arnOf(sqs, QueueUrl) {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }),
  );
  return Attributes.QueueArn;
}

/** Sends one message. */
export function send(sqs, QueueUrl, MessageBody, more = {}) {
  return sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...more }));
}

/** What one receive of up to ten messages gives. */
export async function receive(sqs, QueueUrl, more = {}) {
  const { Messages } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, ...more }),
  );
  return Messages ?? [];
}

/** The bodies of messages. */
export function bodies(messages) {
  return messages.map((message) => message.Body);
}

const REQUEST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Asserts that a call is refused with this query code, text and status, as an exception of `type`,
 * one of the SDK's classes. What Amazon's model of SQS has no class for, the SDK names by its code.
 */
export async function refused(call, { type, code, message, status = 400 }) {
  const name = type?.name ?? code;
  await assert.rejects(call, (error) => {
    assert(error instanceof (type ?? SQSServiceException), `${error.name} is of another class`);
    assert.deepEqual(
      {
        name: error.name,
        code: error.Code,
        message: error.message,
        status: error.$metadata.httpStatusCode,
        fault: error.$fault,
      },
      { name, code, message, status, fault: "client" },
    );
    assert.match(error.$metadata.requestId, REQUEST_ID);
    return true;
  });
}
