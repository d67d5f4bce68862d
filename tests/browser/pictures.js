// Draws the pictures of the page that the documentation shows: `tests/browser/run --pictures`.

import assert from "node:assert/strict";
import { mkdir, stat } from "node:fs/promises";
import { test } from "node:test";

import { open, row, sees, suite } from "./browser.js";

const it = suite();
const FOLDER = new URL("../../fake-sqs/pictures/", import.meta.url);
const BYTES_MAX = 200 * 1024;
const CUSTOMERS = ["Ada", "Grace", "Edsger", "Barbara"];

async function draw(page, name) {
  await mkdir(FOLDER, { recursive: true });
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    const path = new URL(`${name}-${colorScheme}.png`, FOLDER).pathname;
    // Neither the pointer nor the focus is to leave a mark.
    await page.mouse.move(0, 0);
    await page.evaluate(() => {
      document.activeElement.blur();
      scrollTo(0, 0);
    });
    await page.screenshot({ path });
    const { size } = await stat(path);
    assert(size < BYTES_MAX, `${path} has ${size} bytes`);
  }
}

async function fill(server) {
  const lost = await server.createQueue("orders-lost", { MessageRetentionPeriod: "1209600" });
  const policy = JSON.stringify({ deadLetterTargetArn: lost.arn, maxReceiveCount: 3 });
  await server.createQueue("orders", { VisibilityTimeout: "43200", RedrivePolicy: policy });
  await server.createQueue("payments.fifo", { FifoQueue: "true", ContentBasedDeduplication: "true" });
  for (const name of ["invoices", "mail-out", "search-index", "thumbnails"]) await server.createQueue(name);
  for (let index = 0; index < 9; index += 1) {
    const total = (19.9 + index * 7.35).toFixed(2);
    await server.send("orders", {
      body: JSON.stringify({ order: 1042 + index, customer: CUSTOMERS[index % 4], total, currency: "EUR" }),
      message_attributes: { kind: { DataType: "String", StringValue: "OrderPlaced" }, version: { DataType: "Number", StringValue: "2" } },
    });
  }
  await server.send("orders", { body: '{"order":1100,"customer":"Ada","remind":true}', delay_seconds: 600 });
  for (let index = 0; index < 8; index += 1) {
    await server.send("payments.fifo", { body: `{"payment":${index}}`, group: CUSTOMERS[index % 4].toLowerCase() });
  }
  for (let index = 0; index < 31; index += 1) await server.send("thumbnails", { body: `{"image":"${index}.jpeg"}` });
  await server.send("orders-lost", { body: '{"order":998}' });
  await server.receive("orders", { MaxNumberOfMessages: 3 });
  await server.receive("payments.fifo");
  await server.receive("thumbnails", { MaxNumberOfMessages: 10 });
}

test("pictures", async () => {
  const { page, server } = it;
  await page.setViewportSize({ width: 1180, height: 640 });
  await server.control("POST", "clock/advance", { seconds: 43_200 });
  await server.control("POST", "clock/freeze");
  await fill(server);
  await open(it);
  await row(page, "thumbnails").waitFor();
  await sees(page, ".mode", "frozen");
  await draw(page, "queues");

  await page.setViewportSize({ width: 1180, height: 820 });
  await open(it, "#/queues/000000000000/us-east-1/orders");
  await row(page, "1043").getByRole("button").click();
  await sees(page, ".opened:visible pre", "Grace");
  await draw(page, "queue");

  const QueueUrl = `${server.endpoint}/000000000000/orders`;
  await server.call("SendMessage", { QueueUrl, MessageBody: '{"order":1101}' });
  await server.receive("orders");
  await server.call("GetQueueUrl", { QueueName: "order" });
  await server.call("SendMessage", { QueueUrl, MessageBody: '{"order":1102}' }, { secret: "test\n" });
  await server.call("ListQueues", {});
  await page.setViewportSize({ width: 1180, height: 720 });
  await open(it, "#/requests");
  await row(page, "InvalidSignatureException").getByRole("button").click();
  await sees(page, ".refusal h2", "Why it was refused");
  await draw(page, "refusal");
});
