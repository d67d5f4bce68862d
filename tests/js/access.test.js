// Tags, and who else may use a queue.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  AddPermissionCommand,
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueueTagsCommand,
  OverLimit,
  QueueDoesNotExist,
  RemovePermissionCommand,
  TagQueueCommand,
  UntagQueueCommand,
} from "@aws-sdk/client-sqs";

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
} from "./fake_sqs.js";

const endpoint = await startServer();
const sqs = client(endpoint);
const other = client(endpoint, OTHER);

const policyOf = async (QueueUrl) => {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["Policy"] }),
  );
  return Attributes && JSON.parse(Attributes.Policy);
};
const permit = (QueueUrl, Label, ...Actions) =>
  sqs.send(
    new AddPermissionCommand({ QueueUrl, Label, AWSAccountIds: [OTHER.account], Actions }),
  );

test("tags are added, changed, listed and taken away", async () => {
  const QueueUrl = await newQueue(sqs);
  const tagsOf = async () => (await sqs.send(new ListQueueTagsCommand({ QueueUrl }))).Tags;
  assert.equal(await tagsOf(), undefined);
  await sqs.send(new TagQueueCommand({ QueueUrl, Tags: { team: "shop", env: "test" } }));
  await sqs.send(new TagQueueCommand({ QueueUrl, Tags: { env: "", Team: "é" } }));
  assert.deepEqual(await tagsOf(), { team: "shop", env: "", Team: "é" });
  await sqs.send(new UntagQueueCommand({ QueueUrl, TagKeys: ["team", "env", "never"] }));
  assert.deepEqual(await tagsOf(), { Team: "é" });
});

test("a queue is made with tags", async () => {
  const { QueueUrl } = await sqs.send(
    new CreateQueueCommand({ QueueName: "tagged", tags: { team: "shop" } }),
  );
  const { Tags } = await sqs.send(new ListQueueTagsCommand({ QueueUrl }));
  assert.deepEqual(Tags, { team: "shop" });
});

test("permissions are statements of the policy", async () => {
  const QueueUrl = await newQueue(sqs);
  const arn = await arnOf(sqs, QueueUrl);
  assert.equal(await policyOf(QueueUrl), undefined);
  await permit(QueueUrl, "one", "SendMessage");
  await permit(QueueUrl, "many", "ReceiveMessage", "DeleteMessage");
  const statement = (Sid, Action) => ({
    Sid,
    Effect: "Allow",
    Principal: { AWS: `arn:aws:iam::${OTHER.account}:root` },
    Action,
    Resource: arn,
  });
  assert.deepEqual(await policyOf(QueueUrl), {
    Version: "2008-10-17",
    Id: `${arn}/SQSDefaultPolicy`,
    Statement: [
      statement("one", "SQS:SendMessage"),
      statement("many", ["SQS:ReceiveMessage", "SQS:DeleteMessage"]),
    ],
  });
  for (const Label of ["one", "many"]) {
    await sqs.send(new RemovePermissionCommand({ QueueUrl, Label }));
  }
  assert.equal(await policyOf(QueueUrl), undefined);
});

test("another account is let in where a permission says so", async () => {
  const QueueUrl = await newQueue(sqs);
  const arn = await arnOf(sqs, QueueUrl);
  const denied = (action) => ({
    code: "AccessDenied",
    message:
      `User: arn:aws:iam::${OTHER.account}:root is not authorized to perform: sqs:${action} on ` +
      `resource: ${arn} because no identity-based policy allows the sqs:${action} action`,
    status: 403,
  });
  const QueueName = arn.split(":").at(-1);
  const find = () =>
    other.send(new GetQueueUrlCommand({ QueueName, QueueOwnerAWSAccountId: OWNER.account }));

  await refused(() => send(other, QueueUrl, "a"), denied("sendmessage"));
  await refused(find, {
    type: QueueDoesNotExist,
    code: "AWS.SimpleQueueService.NonExistentQueue",
    message: "The specified queue does not exist or you do not have access to it.",
  });
  await permit(QueueUrl, "writers", "SendMessage", "GetQueueUrl");
  assert.equal((await find()).QueueUrl, QueueUrl);
  await send(other, QueueUrl, "from outside");
  await refused(() => receive(other, QueueUrl), denied("receivemessage"));
  const [message] = await receive(sqs, QueueUrl, { MessageSystemAttributeNames: ["SenderId"] });
  assert.deepEqual(bodies([message]), ["from outside"]);
  assert.equal(message.Attributes.SenderId, OTHER.account);
  await sqs.send(new RemovePermissionCommand({ QueueUrl, Label: "writers" }));
  await refused(() => send(other, QueueUrl, "a"), denied("sendmessage"));
});

test("what permissions refuse", async () => {
  const QueueUrl = await newQueue(sqs);
  await permit(QueueUrl, "one", "SendMessage");
  await refused(() => permit(QueueUrl, "one", "SendMessage"), {
    code: "InvalidParameterValue",
    message: "Value one for parameter Label is invalid. Reason: Already exists.",
  });
  await refused(() => permit(QueueUrl, "two", "DeleteQueue"), {
    code: "InvalidParameterValue",
    message:
      "Value SQS:DeleteQueue for parameter ActionName is invalid. Reason: Only the queue owner " +
      "is allowed to invoke this action.",
  });
  const label = new RemovePermissionCommand({ QueueUrl, Label: "two" });
  await refused(() => sqs.send(label), {
    code: "InvalidParameterValue",
    message: "Value two for parameter Label is invalid. Reason: can't find label.",
  });
  const many = Array(8).fill("SendMessage");
  await refused(() => permit(QueueUrl, "many", ...many), {
    type: OverLimit,
    code: "OverLimit",
    message: "8 Actions were found, maximum allowed is 7.",
    status: 403,
  });
});
