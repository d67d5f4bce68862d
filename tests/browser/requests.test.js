// The journal: what clients asked for, as it happens, and why a signature was refused.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cells, open, row, sees, seesNo, suite } from "./browser.js";

const it = suite();

test("requests are listed as they come, the newest first", async () => {
  const { page, server } = it;
  await server.createQueue("orders");
  await open(it, "#/requests");
  await sees(page, ".empty", "There were no requests yet");
  const QueueUrl = `${server.endpoint}/000000000000/orders`;
  await server.call("SendMessage", { QueueUrl, MessageBody: "hello" });
  await row(page, "SendMessage").waitFor();
  await server.receive("orders");
  await row(page, "ReceiveMessage").waitFor();
  await server.call("SendMessage", { QueueUrl: `${server.endpoint}/000000000000/nowhere`, MessageBody: "hello" });
  await sees(page, "td.answer", "QueueDoesNotExist");
  const rows = await page.locator("main tbody tr:not(.opened)").all();
  const shown = await Promise.all(rows.map(async (locator) => (await cells(locator)).slice(1, 4)));
  assert.deepEqual(shown, [
    ["SendMessage", "nowhere", "400 QueueDoesNotExist"],
    ["ReceiveMessage", "orders", "200"],
    ["SendMessage", "orders", "200"],
  ]);
  await row(page, "ReceiveMessage").getByRole("button").click();
  await sees(page, ".opened:visible dd", "test");
  await sees(page, ".opened:visible pre", "hello");
});

test("a form of the older protocol is laid out", async () => {
  const { page, server } = it;
  await server.createQueue("orders");
  const QueueUrl = `${server.endpoint}/000000000000/orders`;
  const { status } = await server.form({ Action: "SendMessage", QueueUrl, MessageBody: "1 + 1 = <2> & é" });
  assert.equal(status, 200);
  await open(it, "#/requests");
  await row(page, "SendMessage").getByRole("button").click();
  await sees(page, ".opened:visible pre", "SendMessageResponse");
  const shown = await page.locator(".opened:visible pre").first().innerText();
  assert.deepEqual(shown.split("\n"), ["Action = SendMessage", `QueueUrl = ${QueueUrl}`, "MessageBody = 1 + 1 = <2> & é"]);
});

test("filters are part of the address", async () => {
  const { page, server } = it;
  await server.createQueue("orders");
  const QueueUrl = `${server.endpoint}/000000000000/orders`;
  await server.call("SendMessage", { QueueUrl, MessageBody: "hello" });
  await server.call("ListQueues", {});
  await open(it, "#/requests");
  await row(page, "ListQueues").waitFor();
  await page.getByLabel("Action").selectOption("SendMessage");
  await seesNo(page, "tbody tr", "ListQueues");
  await page.reload();
  await row(page, "SendMessage").waitFor();
  assert.equal(await row(page, "").count(), 1);
  await page.getByLabel("Queue", { exact: true }).fill("bills");
  await sees(page, ".empty", "No request is like that");
  await page.goBack();
  await row(page, "SendMessage").waitFor();
});

test("a refused signature is explained so that a person can read it", async () => {
  const { page, server } = it;
  await open(it, "#/requests");
  const { status } = await server.call("ListQueues", {}, { secret: "wrong" });
  assert.equal(status, 403);
  await row(page, "InvalidSignatureException").getByRole("button").click();
  await sees(page, ".refusal h2", "Why it was refused");
  await sees(page, ".refusal .reason", "signature");
  const explanation = await page.locator(".refusal .explanation").innerText();
  assert.match(explanation, /^[A-Z].{20,}\.$/, "a sentence");
  const advice = await page.locator(".refusal .advice").innerText();
  assert.match(advice, /^[A-Z].{10,}\.$/, "a sentence");
  await server.call("ListQueues", {}, { signedBody: '{"MaxResults":5}' });
  await page.getByLabel("Outcome").selectOption("refused");
  await page.locator("main tbody tr:not(.opened)").nth(1).waitFor();
  assert.doesNotMatch(await page.content(), /Signature=[0-9a-f]{64}/);
});

test("a paused list stands still, and goes on", async () => {
  const { page, server } = it;
  await open(it, "#/requests");
  await server.call("ListQueues", {});
  await row(page, "ListQueues").waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  await server.call("CreateQueue", { QueueName: "orders" });
  await sees(page, "#totals", "1 queue");
  assert.equal(await row(page, "").count(), 1);
  await page.getByRole("button", { name: "Go on" }).click();
  await row(page, "CreateQueue").waitFor();
});

test("a reset empties the list", async () => {
  const { page, server } = it;
  await server.call("ListQueues", {});
  await open(it, "#/requests");
  await row(page, "ListQueues").waitFor();
  await server.control("POST", "reset");
  await sees(page, ".empty", "There were no requests yet");
});
