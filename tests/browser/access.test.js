// Everybody can use the page: with a keyboard, in the dark, on a small screen, and when the server goes away.

import assert from "node:assert/strict";
import { test } from "node:test";

import { open, row, sees, seesNo, suite } from "./browser.js";
import { Server } from "./server.js";

const it = suite();
const ORDERS = "#/queues/000000000000/us-east-1/orders";

/** Goes on with Tab until an element has the focus. */
async function tabTo(page, selector) {
  for (let steps = 0; steps < 60; steps += 1) {
    await page.keyboard.press("Tab");
    const isThere = await page.evaluate((wanted) => document.activeElement.matches(wanted), selector);
    if (isThere) return;
  }
  assert.fail(`Tab does not come to ${selector}`);
}

test("a queue is made and a message sent, looked at and deleted with the keyboard alone", async () => {
  const { page, server } = it;
  await open(it);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  await tabTo(page, "#create-queue");
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.equal(outline, "solid", "the focus is visible");
  await page.keyboard.press("Enter");
  await sees(page, "dialog", "Create");
  await page.keyboard.type("orders");
  await page.keyboard.press("Enter");
  await row(page, "orders").waitFor();
  await seesNo(page, "dialog", "Create");
  assert.equal(await page.evaluate(() => document.activeElement.id), "create-queue", "the focus goes back");
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.name), "prefix");
  await tabTo(page, "tbody a");
  await page.keyboard.press("Enter");
  await sees(page, "h1", "orders");
  await tabTo(page, "#send");
  await page.keyboard.press("Enter");
  await sees(page, "dialog", "Send");
  await page.keyboard.type("hello");
  await page.keyboard.press("Escape");
  await seesNo(page, "dialog", "Send");
  await page.waitForFunction(() => document.activeElement.id === "send");
  assert.equal((await server.messages("orders")).messages.length, 0, "Escape sends nothing");
  await page.keyboard.press("Enter");
  await sees(page, "dialog", "Send");
  await page.keyboard.type("hello");
  await page.keyboard.press("Control+Enter");
  await row(page, "hello").waitFor();
  await tabTo(page, ".toggle");
  await page.keyboard.press("Enter");
  await sees(page, ".opened:visible pre", "hello");
  await tabTo(page, "[data-deed=delete]");
  await page.keyboard.press("Enter");
  await sees(page, ".empty", "There are no messages in this queue");
  assert.deepEqual((await server.messages("orders")).messages, []);
});

test("what has the focus keeps it while the page changes under it", async () => {
  const { page, server } = it;
  await server.createQueue("orders");
  for (const body of ["first", "second", "third"]) await server.send("orders", { body });
  await open(it, ORDERS);
  const toggle = row(page, "second").getByRole("button");
  await toggle.focus();
  const { messages } = await server.messages("orders");
  await server.control("DELETE", `queues/000000000000/us-east-1/orders/messages/${messages[0].id}`);
  await server.send("orders", { body: "fourth" });
  await row(page, "fourth").waitFor();
  await seesNo(page, "tbody tr", "first");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "second");
});

/** Texts whose contrast with what is behind them is less than WCAG's AA asks for. */
function tooFaint() {
  const rgb = (color) => color.match(/[\d.]+/g).map(Number);
  const luminance = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((part) => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = rgb(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const opacity = (element) => {
    let product = 1;
    for (let at = element; at !== null; at = at.parentElement) product *= Number(getComputedStyle(at).opacity);
    return product;
  };
  const faint = [];
  for (const element of document.querySelectorAll("body *")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
    if (!hasText || !element.checkVisibility() || element.closest(".unseen, .skip")) continue;
    const back = behind(element);
    const share = opacity(element);
    const front = rgb(getComputedStyle(element).color).slice(0, 3).map((part, index) => part * share + back[index] * (1 - share));
    const [light, dark] = [luminance(front), luminance(back)].sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < 4.5) faint.push(`${element.tagName}.${element.className} ${element.textContent.slice(0, 30)}: ${contrast.toFixed(2)}`);
  }
  return faint;
}

test("texts stand out, in light and in dark, and nothing is wider than a small screen", async () => {
  const { page, server } = it;
  const lost = await server.createQueue("lost");
  const policy = JSON.stringify({ deadLetterTargetArn: lost.arn, maxReceiveCount: 3 });
  await server.createQueue("orders", { RedrivePolicy: policy });
  await server.createQueue("a-queue-with-quite-a-long-name-that-has-to-go-somewhere-on-a-small-screen.fifo", { FifoQueue: "true" });
  await server.send("orders", { body: `{"long":"${"x".repeat(500)}"}`, message_attributes: { kind: { DataType: "String", StringValue: "a" } } });
  await server.send("orders", { body: "delayed", delay_seconds: 900 });
  await server.receive("orders");
  await server.control("POST", "faults", { action: "SendMessage", queue: "orders", fault: { kind: "throttle" } });
  const [message] = (await server.messages("orders")).messages;
  await server.call("ListQueues", {}, { secret: "wrong" });
  const places = ["#/queues", `${ORDERS}?open=${message.id}`, "#/faults", "#/requests"];
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      for (const place of places) {
        await open(it, place);
        await page.locator("main h1").waitFor();
        await page.locator("main tbody tr").first().waitFor();
        assert.deepEqual(await page.evaluate(tooFaint), [], `${place}, ${colorScheme}, ${width}`);
        const scrolled = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.equal(scrolled, 0, `${place} is too wide for ${width}`);
      }
    }
  }
  const paper = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  assert.equal(paper, "rgb(21, 21, 19)", "dark is dark");
});

test("everything that can be pressed or filled in has a name", async () => {
  const { page, server } = it;
  await server.createQueue("orders");
  await server.send("orders", { body: "hello" });
  for (const [place, dialog] of [["#/queues", "#create-queue"], [ORDERS, "#send"], ["#/faults", null], ["#/requests", null]]) {
    await open(it, place);
    await page.locator("main h1").waitFor();
    if (dialog !== null) await page.locator(dialog).click();
    const unnamed = await page.evaluate(() =>
      [...document.querySelectorAll("button, input, select, textarea, a[href], dialog")]
        .filter((element) => element.checkVisibility())
        .filter((element) => {
          const named = element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent;
          return named.trim() === "";
        })
        .map((element) => element.outerHTML),
    );
    assert.deepEqual(unnamed, [], place);
    assert.equal(await page.locator("h1").count(), 1);
  }
});

test("a server that goes away is said to be gone, and is found again", async () => {
  const { page } = it;
  it.allowed.push(/Failed to load resource: net::ERR_/);
  await it.server.createQueue("orders");
  await open(it);
  await row(page, "orders").waitFor();
  const { port } = it.server;
  await it.server.stop();
  await sees(page, "#gone", "does not answer");
  await sees(page, "#link-text", "no answer");
  it.server = await Server.start({ port });
  await it.server.createQueue("bills");
  await sees(page, "#link-text", "live");
  await seesNo(page, "#gone", "does not answer");
  await row(page, "bills").waitFor();
  await seesNo(page, "tbody a", "orders");
});

test("a page in the background listens to nothing, since a browser has few connections", async () => {
  const { page, server } = it;
  const hide = (hidden) =>
    page.evaluate((value) => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => value });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  const isEvents = (request) => request.url().endsWith("/_fake/events");
  await open(it);
  const ended = page.waitForEvent("requestfailed", isEvents);
  await hide(true);
  await ended;
  await server.createQueue("orders");
  const again = page.waitForRequest(isEvents);
  await hide(false);
  await again;
  await row(page, "orders").waitFor();
});

test("a dialog is closed with the place that it belongs to", async () => {
  const { page, server } = it;
  await server.createQueue("orders");
  await open(it);
  await page.getByRole("link", { name: "orders" }).click();
  await page.getByRole("button", { name: "Send…" }).click();
  await page.goBack();
  await row(page, "orders").waitFor();
  assert.equal(await page.locator("dialog").count(), 0);
});
