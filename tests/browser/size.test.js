// Ten thousand queues and a hundred thousand messages: shown a page at a time.

import assert from "node:assert/strict";
import { test } from "node:test";

import { open, row, sees, suite } from "./browser.js";

const it = suite();
const QUEUES = 10_000;
const MESSAGES = 100_000;
const name = (index) => `queue-${String(index).padStart(5, "0")}`;

/** Does a deed for each number below `count`, some at once. */
async function each(count, deed) {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      await deed(index);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

/** How long a step of the page takes, in milliseconds: printed, since it says more of the machine than of the page. */
async function timed(step) {
  const begun = performance.now();
  await step();
  return performance.now() - begun;
}

test("large lists are paged", async (t) => {
  const { page, server } = it;
  await each(QUEUES, (index) => server.createQueue(name(index)));
  const QueueUrl = `${server.endpoint}/000000000000/${name(7)}`;
  await each(MESSAGES / 10, async (batch) => {
    const Entries = Array.from({ length: 10 }, (_, entry) => ({ Id: `e${entry}`, MessageBody: `message ${batch * 10 + entry}` }));
    const { status } = await server.call("SendMessageBatch", { QueueUrl, Entries });
    assert.equal(status, 200);
  });

  const asked = [];
  page.on("response", (response) => asked.push(response));
  const taken = {};
  taken.open = await timed(async () => {
    await open(it);
    await sees(page, "#totals", "10,000 queues, 100,000 messages");
    await row(page, name(0)).waitFor();
  });
  assert.equal(await row(page, "queue-").count(), 50);
  taken.next = await timed(async () => {
    await page.getByRole("link", { name: "Next" }).click();
    await row(page, name(50)).waitFor();
  });
  assert.match(await page.locator(".pager").innerText(), /Page 2/);
  await page.reload();
  await row(page, name(99)).waitFor();
  await page.goBack();
  await row(page, name(7)).waitFor();
  taken.search = await timed(async () => {
    await page.getByLabel("Name begins with").fill(name(9_999));
    await row(page, name(9_999)).waitFor();
    await row(page, name(0)).waitFor({ state: "hidden" });
  });
  taken.messages = await timed(async () => {
    await page.goto(`${server.endpoint}/_fake/#/queues/000000000000/us-east-1/${name(7)}`);
    await sees(page, ".tabs", "All 100,000");
    await page.locator(".messages tr.message").first().waitFor();
  });
  assert.equal(await page.locator(".messages tr.message").count(), 25);
  const first = await page.locator(".messages .preview").first().innerText();
  taken.nextMessages = await timed(async () => {
    await page.getByRole("link", { name: "Next" }).click();
    await page.locator(".pager").filter({ hasText: "Page 2" }).waitFor();
    await page.locator(".messages .preview").filter({ hasText: new RegExp(`^${first}$`) }).waitFor({ state: "hidden" });
  });
  taken.previous = await timed(async () => {
    await page.getByRole("link", { name: "Previous" }).click();
    await page.locator(".messages .preview").filter({ hasText: new RegExp(`^${first}$`) }).waitFor();
  });
  const lengths = await Promise.all(
    asked.filter((response) => !response.url().endsWith("/events")).map(async (response) => (await response.body().catch(() => "")).length),
  );
  assert(Math.max(...lengths) < 200_000, `an answer had ${Math.max(...lengths)} bytes`);
  t.diagnostic(`milliseconds: ${JSON.stringify(taken, (_, value) => (typeof value === "number" ? Math.round(value) : value))}`);
});
