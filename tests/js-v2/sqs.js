// Clients of version 2 for a fake-sqs process, and what tests do with them.

import assert from "node:assert/strict";
import { createRequire } from "node:module";

import SQS from "aws-sdk/clients/sqs.js";

import { BOUND_MS, OWNER } from "../js/server.js";

export { frozen, OTHER, OWNER, startServer } from "../js/server.js";

// With a release that speaks JSON, this suite would pass and show nothing.
const model = createRequire(import.meta.url)("aws-sdk/apis/sqs-2012-11-05.min.json");
assert.equal(model.metadata.protocol, "query");

/**
 * A client that signs as one of the accounts and checks the digests of bodies. A refusal is to be
 * seen, not tried again.
 */
export function client(endpoint, { key, secret } = OWNER, more = {}) {
  return new SQS({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: key, secretAccessKey: secret },
    computeChecksums: true,
    maxRetries: 0,
    httpOptions: { connectTimeout: BOUND_MS, timeout: BOUND_MS },
    ...more,
  });
}

let queues = 0;

/** Creates a queue whose name no other test uses; FIFO when the attributes say so. */
export async function newQueue(sqs, Attributes = {}) {
  queues += 1;
  const QueueName = `queue-${queues}${Attributes.FifoQueue ? ".fifo" : ""}`;
  const { QueueUrl } = await sqs.createQueue({ QueueName, Attributes }).promise();
  return QueueUrl;
}

/** The attributes of a queue that have these names. */
export async function attributesOf(sqs, QueueUrl, ...AttributeNames) {
  const { Attributes } = await sqs.getQueueAttributes({ QueueUrl, AttributeNames }).promise();
  return Attributes;
}

/** The ARN of a queue. */
export async function arnOf(sqs, QueueUrl) {
  return (await attributesOf(sqs, QueueUrl, "QueueArn")).QueueArn;
}

/** Sends one message. */
export function send(sqs, QueueUrl, MessageBody, more = {}) {
  return sqs.sendMessage({ QueueUrl, MessageBody, ...more }).promise();
}

/** What one receive of up to ten messages gives. */
export async function receive(sqs, QueueUrl, more = {}) {
  const { Messages } = await sqs
    .receiveMessage({ QueueUrl, MaxNumberOfMessages: 10, ...more })
    .promise();
  return Messages ?? [];
}

/** The bodies of messages. */
export function bodies(messages) {
  return messages.map((message) => message.Body);
}

const REQUEST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Asserts that a request is refused with this code, text and status, and has an id. */
export async function refused(request, { code, message, status = 400 }) {
  await assert.rejects(request.promise(), (error) => {
    const { statusCode } = error;
    assert.deepEqual({ code: error.code, message: error.message, statusCode }, {
      code,
      message,
      statusCode: status,
    });
    assert.match(error.requestId, REQUEST_ID);
    return true;
  });
}

/** Asserts that an answer came well, with an id. */
export function answered({ $response }) {
  assert.equal($response.httpResponse.statusCode, 200);
  assert.match($response.requestId, REQUEST_ID);
}
