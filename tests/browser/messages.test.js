// The messages of a queue: sending, looking, receiving, releasing, deleting, purging, moving.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cells, expectRefusals, fillDialog, open, row, sees, seesNo, suite } from "./browser.js";

const it = suite();
const ORDERS = "#/queues/000000000000/us-east-1/orders";

test("a message is sent with attributes and looked at, which changes nothing", async () => {
  const { page, server } = it;
  await server.createQueue("orders");
  await open(it, ORDERS);
  await page.getByRole("button", { name: "Send…" }).click();
  const dialog = page.locator("dialog[open]");
  await dialog.getByRole("button", { name: "Add an attribute" }).click();
  await dialog.getByLabel("Attribute's name").fill("price");
  await dialog.getByLabel("Attribute's type").selectOption("Number");
  await dialog.getByLabel("Attribute's value").fill("12.5");
  await dialog.getByRole("button", { name: "Add an attribute" }).click();
  await dialog.getByRole("button", { name: "Remove this attribute" }).last().click();
  await fillDialog(page, { Body: '{"order":17,"lines":[1,2]}', "Message group": "eu" }, "Send message");

  await row(page, '{"order":17').getByRole("button").click();
  await sees(page, "pre", '"order": 17');
  await page.getByRole("button", { name: "As it was sent" }).click();
  await sees(page, "pre", '{"order":17,"lines":[1,2]}');
  assert.deepEqual(await cells(page.locator(".detail tbody tr")), ["price", "Number", "12.5"]);
  await sees(page, ".detail dd", "eu");

  const { messages } = await server.messages("orders");
  assert.equal(messages.length, 1);
  assert.equal(messages[0].receive_count, 0);
  assert.deepEqual(messages[0].message_attributes.price, { DataType: "Number", StringValue: "12.5" });
});

test("an open message is part of the address", async () => {
  const { page, server } = it;
  await server.createQueue("orders");
  for (const body of ["first", "second"]) await server.send("orders", { body });
  await open(it, ORDERS);
  await row(page, "second").getByRole("button").click();
  await sees(page, ".opened:visible pre", "second");
  await page.reload();
  await sees(page, ".opened:visible pre", "second");
  await row(page, "second").getByRole("button").click();
  await seesNo(page, ".opened", "second");
  assert.doesNotMatch(page.url(), /open=/);
});

test("a message is received, seen in flight, and made visible again", async () => {
  const { page, server } = it;
  await server.createQueue("orders", { VisibilityTimeout: "600" });
  await server.send("orders", { body: "hello" });
  await open(it, ORDERS);
  await page.getByRole("button", { name: "Receive…" }).click();
  await fillDialog(page, { "Visibility timeout, seconds": "43200" }, "Receive");
  await sees(page, ".tabs a[aria-current]", "In flight 1");
  await sees(page, "td.left", /visible in (12 h|11 h \d+ min)/);
  await sees(page, ".opened:visible dt", "Receipt handle");
  const [message] = (await server.messages("orders", "?state=in_flight")).messages;
  assert.equal(message.receive_count, 1);
  await page.getByRole("button", { name: "Make visible now" }).click();
  await sees(page, ".empty", "No message is in flight");
  await page.locator(".tabs a", { hasText: "Visible" }).click();
  await row(page, "hello").waitFor();
  assert.deepEqual(await server.receive("orders").then((messages) => messages.map(({ Body }) => Body)), ["hello"]);
});

test("a message is deleted, and the focus goes to its neighbour", async () => {
  const { page, server } = it;
  await server.createQueue("orders");
  for (const body of ["first", "second"]) await server.send("orders", { body });
  await open(it, ORDERS);
  await row(page, "first").getByRole("button").click();
  await page.getByRole("button", { name: "Delete message" }).click();
  await seesNo(page, "tbody tr", "first");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "second");
  const { messages } = await server.messages("orders");
  assert.deepEqual(messages.map(({ body }) => body), ["second"]);
});

test("a queue is purged after a question", async () => {
  const { page, server } = it;
  await server.createQueue("orders");
  for (const body of ["first", "second"]) await server.send("orders", { body });
  await server.receive("orders");
  await open(it, ORDERS);
  for (let round = 0; round < 2; round += 1) {
    await page.getByRole("button", { name: "Purge…" }).click();
    await page.locator("dialog[open]").getByRole("button", { name: "Purge", exact: true }).click();
    await sees(page, ".empty", "There are no messages in this queue");
  }
  assert.deepEqual((await server.messages("orders")).messages, []);
});

test("dead letters are moved back", async () => {
  const { page, server } = it;
  const lost = await server.createQueue("lost");
  const policy = { deadLetterTargetArn: lost.arn, maxReceiveCount: 1 };
  await server.createQueue("orders", { RedrivePolicy: JSON.stringify(policy) });
  await server.send("orders", { body: "poison" });
  await server.receive("orders", { VisibilityTimeout: 0 });
  await server.receive("orders");
  await open(it, "#/queues/000000000000/us-east-1/lost");
  await row(page, "poison").getByRole("button").click();
  await sees(page, ".detail dt", "Dead letter of");
  await page.getByRole("button", { name: "Redrive" }).click();
  await sees(page, ".empty", "There are no messages in this queue");
  await sees(page, "aside td", /COMPLETED|RUNNING/);
  assert.deepEqual((await server.messages("orders")).messages.map(({ body }) => body), ["poison"]);
});

test("what cannot be redriven is refused in words", async () => {
  const { page, server } = it;
  expectRefusals(it);
  await server.createQueue("orders");
  await open(it, ORDERS);
  await page.getByRole("button", { name: "Redrive" }).click();
  await sees(page, "#notice", /dead.letter queue/i);
  await page.getByRole("button", { name: "Dismiss" }).click();
  await seesNo(page, "#notice", /dead.letter queue/i);
});

test("a FIFO queue shows its groups, what blocks them, and the ids that it remembers", async () => {
  const { page, server } = it;
  await server.createQueue("bills.fifo", { FifoQueue: "true" });
  // However slow the machine is, no timeout ends meanwhile.
  await server.control("POST", "clock/freeze");
  await open(it, "#/queues/000000000000/us-east-1/bills.fifo");
  await page.getByRole("button", { name: "Send…" }).click();
  await fillDialog(page, { Body: "one", "Message group": "ada", "Deduplication id": "d1" }, "Send message");
  await row(page, "one").waitFor();
  await server.send("bills.fifo", { body: "two", group: "bob", deduplication_id: "d2" });
  await sees(page, "aside td", "d2");
  await server.receive("bills.fifo");
  await sees(page, "aside tr", "ada130 s");
  await sees(page, "aside tr", "bob1free");
  await sees(page, "aside tr", "d15 min");
});

test("bodies are text, whatever they look like", async () => {
  const { page, server } = it;
  const body = `<img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>`;
  await server.createQueue("orders");
  await server.send("orders", {
    body,
    group: "<b>g</b>",
    message_attributes: { evil: { DataType: "String", StringValue: "<svg onload=alert(1)>" } },
  });
  await open(it, ORDERS);
  await row(page, "<img").getByRole("button").click();
  await sees(page, "pre", "onerror");
  assert.equal(await page.locator(".bodyblock pre").innerText(), body);
  assert.equal(await page.locator("main img, main svg, main b, main script").count(), 0);
  assert.equal(await page.title(), "orders – fake-sqs");
});

test("a body of a mebibyte is shown in part until one asks for the rest", async () => {
  const { page, server } = it;
  await server.createQueue("orders");
  await server.send("orders", { body: `begin ${"x".repeat(1_000_000)} end` });
  await open(it, ORDERS);
  await row(page, "begin").getByRole("button").click();
  await sees(page, ".bodyblock", "976.6 KiB");
  assert.equal((await page.locator(".bodyblock pre").innerText()).length, 20_000);
  await page.getByRole("button", { name: "Show all of it" }).click();
  await sees(page, ".bodyblock pre", / end$/);
});
