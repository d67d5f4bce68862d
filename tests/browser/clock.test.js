// The queues' clock: moving it, stopping it, and what counts down by it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { open, row, sees, seesNo, suite } from "./browser.js";

const it = suite();

test("a twelve-hour visibility timeout passes at the press of a button", async () => {
  const { page, server } = it;
  await server.createQueue("orders", { VisibilityTimeout: "43200" });
  await server.send("orders", { body: "slow" });
  await server.receive("orders");
  await open(it, "#/queues/000000000000/us-east-1/orders?state=in_flight");
  await row(page, "slow").waitFor();
  await page.getByRole("button", { name: "Advance by 12 hours" }).click();
  await sees(page, ".empty", "No message is in flight");
  await sees(page, ".offset", "12 h ahead");
  await sees(page, ".tabs a", "Visible 1");
  const { offset_seconds: offset } = await server.control("GET", "clock");
  assert.equal(offset, 43_200);
  assert.equal((await server.receive("orders"))[0].Attributes, undefined);
});

test("each step moves the clock by what it says", async () => {
  const { page, server } = it;
  await open(it);
  let expected = 0;
  for (const [label, by] of [["1 second", 1], ["30 seconds", 30], ["5 minutes", 300]]) {
    await page.getByRole("button", { name: `Advance by ${label}`, exact: true }).click();
    expected += by;
    await sees(page, "#said", "moved forward by");
    await page.getByRole("button", { name: `Advance by ${label}`, disabled: false, exact: true }).waitFor();
  }
  await page.getByLabel("Advance by, such as").fill("1h 30m");
  await page.keyboard.press("Enter");
  await sees(page, ".offset", "1 h 35 min ahead");
  expected += 5_400;
  assert.equal((await server.control("GET", "clock")).offset_seconds, expected);
});

test("what is no length of time is refused in words, and moves nothing", async () => {
  const { page, server } = it;
  await open(it);
  for (const wrong of ["soon", "-5", "1 week", ""]) {
    await page.getByLabel("Advance by, such as").fill(wrong);
    await page.keyboard.press("Enter");
    await sees(page, "#notice", "How far to advance is written like 90");
    assert.equal(await page.getByLabel("Advance by, such as").getAttribute("aria-invalid"), "true");
  }
  assert.equal((await server.control("GET", "clock")).offset_seconds, 0);
});

test("a frozen clock stands still, and so does what counts down by it", async () => {
  const { page, server } = it;
  await server.createQueue("orders");
  await server.send("orders", { body: "late", delay_seconds: 600 });
  await open(it, "#/queues/000000000000/us-east-1/orders");
  await page.getByRole("button", { name: "Freeze" }).click();
  await sees(page, ".mode", "frozen");
  const shown = await (await sees(page, "td.left[data-state=delayed] time", "min")).innerText();
  const time = await page.locator(".now").innerText();
  assert.equal((await server.control("GET", "clock")).mode, "frozen");
  await page.getByRole("button", { name: "Advance by 30 seconds" }).click();
  await seesNo(page, ".now", time);
  const later = await page.locator("td.left[data-state=delayed] time").innerText();
  assert.notEqual(later, shown);
  await page.getByRole("button", { name: "Resume" }).click();
  await sees(page, ".mode", "running");
  assert.equal((await server.control("GET", "clock")).mode, "running");
});

test("another program's change of the clock is seen too", async () => {
  const { page, server } = it;
  await open(it);
  await server.control("POST", "clock/freeze");
  await sees(page, ".mode", "frozen");
  await server.control("POST", "clock/advance", { seconds: 86_400 });
  await sees(page, ".offset", /23 h \d+ min ahead|1 d ahead/);
});
