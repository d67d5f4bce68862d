// Faults: made with the form, counted as they strike, removed.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cells, expectRefusals, open, row, sees, seesNo, suite } from "./browser.js";

const it = suite();

test("a fault is added, strikes, is counted, and is removed", async () => {
  const { page, server } = it;
  await server.createQueue("orders");
  await open(it, "#/faults");
  await sees(page, ".empty", "There are no faults");
  await page.getByLabel("Error", { exact: true }).selectOption("OverLimit");
  await page.getByLabel("To which calls").selectOption("SendMessage");
  await page.getByLabel("On queue").fill("orders");
  await page.getByLabel("How many times at most").fill("2");
  await page.getByRole("button", { name: "Add fault" }).click();
  await row(page, "error OverLimit").waitFor();
  assert.deepEqual((await cells(row(page, "OverLimit"))).slice(0, 4), ["error OverLimit", "SendMessage on orders", "2 of 2 times left", "0"]);

  const send = () => server.call("SendMessage", { QueueUrl: `${server.endpoint}/000000000000/orders`, MessageBody: "a" });
  const refused = await send();
  assert.deepEqual([refused.status, refused.body.__type], [403, "com.amazonaws.sqs#OverLimit"]);
  await sees(page, "td.count", "1");
  await send();
  await sees(page, "tbody td", "0 of 2 times left");
  assert.equal((await send()).status, 200, "twice is what was asked for");

  await page.getByRole("button", { name: "Remove the fault: error OverLimit" }).click();
  await sees(page, ".empty", "There are no faults");
  assert.deepEqual((await server.control("GET", "faults")).faults, []);
});

test("each kind of fault can be made", async () => {
  const { page, server } = it;
  await open(it, "#/faults");
  const kinds = await page.locator("select[name=kind] option").evaluateAll((options) => options.map((option) => option.value));
  assert.equal(kinds.length, 10);
  for (const kind of kinds) {
    const before = await row(page, "").count();
    await page.getByLabel("What happens").selectOption(kind);
    await page.getByRole("button", { name: "Add fault" }).click();
    await page.locator("main tbody tr").nth(before).waitFor();
  }
  const { faults } = await server.control("GET", "faults");
  assert.deepEqual(faults.map(({ fault }) => fault.kind), kinds);
  await page.getByRole("button", { name: "Remove all" }).click();
  await sees(page, ".empty", "There are no faults");
});

test("a share that is none is refused in words", async () => {
  const { page } = it;
  expectRefusals(it);
  await open(it, "#/faults");
  await page.getByLabel("Share of the calls").fill("250");
  await page.getByRole("button", { name: "Add fault" }).click();
  await sees(page, ".failure", "share");
  await page.getByLabel("Share of the calls").fill("half");
  await page.getByRole("button", { name: "Add fault" }).click();
  await sees(page, ".failure", "The percentage must be a number");
  await page.getByLabel("Share of the calls").fill("50");
  await page.getByRole("button", { name: "Add fault" }).click();
  await sees(page, "tbody td", "50 % of calls");
  await seesNo(page, ".failure", "number");
});
