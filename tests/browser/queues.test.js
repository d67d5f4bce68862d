// The list of queues, and making and removing them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cells, expectRefusals, fillDialog, open, row, sees, seesNo, suite } from "./browser.js";

const it = suite();

test("a server without queues says so, and a queue is created", async () => {
  const { page, server } = it;
  await open(it);
  await sees(page, ".empty", "There are no queues yet");
  await page.getByRole("button", { name: "Create queue…" }).click();
  await fillDialog(page, { Name: "orders", "Visibility timeout, seconds": "45" }, "Create queue");
  await row(page, "orders").waitFor();
  await seesNo(page, "dialog", "Create");
  const { attributes } = await server.queue("orders");
  assert.equal(attributes.VisibilityTimeout, "45");
});

test("a FIFO queue has its suffix, and a dead-letter queue is named", async () => {
  const { page, server } = it;
  await server.createQueue("lost.fifo", { FifoQueue: "true" });
  await open(it);
  await page.getByRole("button", { name: "Create queue…" }).click();
  const dialog = page.locator("dialog[open]");
  await dialog.getByLabel("FIFO").check();
  await dialog.getByLabel("Deduplicate by content").check();
  await dialog.getByText("Dead letters, account and region").click();
  await fillDialog(
    page,
    { Name: "bills", "Dead-letter queue's ARN": "arn:aws:sqs:us-east-1:000000000000:lost.fifo", "after so many receives": "5" },
    "Create queue",
  );
  await row(page, "bills.fifo").waitFor();
  assert.ok((await cells(row(page, "bills.fifo"))).includes("lost.fifo after 5"));
  const { attributes } = await server.queue("bills.fifo");
  assert.equal(attributes.ContentBasedDeduplication, "true");
});

test("what the server refuses stays in the dialog, in its words", async () => {
  const { page } = it;
  expectRefusals(it);
  await open(it);
  await page.getByRole("button", { name: "Create queue…" }).click();
  await fillDialog(page, { Name: "no spaces please" }, "Create queue");
  await sees(page, "dialog .failure", "alphanumeric");
  assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "no spaces please");
  await page.keyboard.press("Escape");
  await seesNo(page, "dialog", "Create");
  await sees(page, ".empty", "There are no queues yet");
});

test("counts change by themselves", async () => {
  const { page, server } = it;
  await server.createQueue("orders");
  // However slow the machine is, nothing comes back meanwhile.
  await server.control("POST", "clock/freeze");
  await open(it);
  const counts = async () => (await cells(row(page, "orders"))).slice(1, 4);
  await row(page, "orders").waitFor();
  assert.deepEqual(await counts(), ["0", "0", "0"]);
  for (const body of ["a", "b", "c"]) await server.send("orders", { body });
  await server.send("orders", { body: "d", delay_seconds: 60 });
  await sees(page, "td[data-state=delayed]", "1");
  await server.receive("orders");
  await sees(page, "td[data-state=in_flight]", "1");
  assert.deepEqual(await counts(), ["2", "1", "1"]);
});

test("a search is part of the address, so reload and back work", async () => {
  const { page, server } = it;
  for (const name of ["orders", "orders-lost", "bills"]) await server.createQueue(name);
  await server.control("POST", "queues", { name: "orders", account: "111122223333", region: "eu-west-1" });
  await open(it);
  assert.equal(await row(page, "").count(), 4);
  await page.getByLabel("Name begins with").fill("ord");
  await seesNo(page, "tbody a", "bills");
  assert.equal(await row(page, "").count(), 3);
  await page.getByLabel("Region").fill("eu-west-1");
  await seesNo(page, "tbody a", "orders-lost");
  assert.match(page.url(), /#\/queues\?.*prefix=ord/);
  await page.reload();
  await row(page, "111122223333").waitFor();
  assert.equal(await row(page, "").count(), 1);
  assert.equal(await page.getByLabel("Name begins with").inputValue(), "ord");
  await page.goBack();
  await sees(page, "tbody a", "orders-lost");
  await page.goBack();
  await sees(page, "tbody a", "bills");
});

test("a search that is left for another part of the page does not lead back", async () => {
  const { page, server } = it;
  for (const name of ["orders", "bills"]) await server.createQueue(name);
  await open(it);
  await page.getByLabel("Name begins with").fill("orders");
  await seesNo(page, "tbody a", "bills");
  await page.goto(`${server.endpoint}/_fake/#/queues/000000000000/us-east-1/bills`);
  await sees(page, "h1", "bills");
  await sees(page, ".empty", "There are no messages in this queue");
  assert.match(page.url(), /bills$/);
});

test("a queue is deleted after a question", async () => {
  const { page, server } = it;
  // The page may ask for the queue once more.
  expectRefusals(it);
  await server.createQueue("orders");
  await open(it, "#/queues/000000000000/us-east-1/orders");
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.locator("dialog[open]").getByRole("button", { name: "Cancel" }).click();
  assert.equal((await server.queue("orders")).name, "orders");
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.locator("dialog[open]").getByRole("button", { name: "Delete queue" }).click();
  await sees(page, ".empty", "There are no queues yet");
  assert.deepEqual((await server.control("GET", "queues")).queues, []);
});

test("a queue that is not there, or goes, is said to be missing", async () => {
  const { page, server } = it;
  expectRefusals(it);
  await server.createQueue("orders");
  await open(it, "#/queues/000000000000/us-east-1/orders");
  await sees(page, "h1", "orders");
  await server.control("DELETE", "queues/000000000000/us-east-1/orders");
  await sees(page, ".empty", "There is no such queue");
  await server.createQueue("orders");
  await seesNo(page, ".empty", "There is no such queue");
  await sees(page, ".empty", "There are no messages in this queue");
});
