// Debian's Chromium, and what every test asks of the page in it.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach } from "node:test";

import { chromium } from "playwright-core";

import { BOUND_MS, Server } from "./server.js";

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** What a browser writes to its console about an answer that is an error, which a test may want. */
const REFUSED = /^Failed to load resource: the server responded with a status of (4\d\d|503)/;

/**
 * Starts a server and a browser for a test file. Each test gets a page, with the server empty. A
 * test fails when the page wrote an error, threw one, or did what its policy does not let it do;
 * `allowed` are patterns of errors that it means to cause.
 */
export function suite() {
  const it = { server: null, browser: null, page: null, errors: [], allowed: [] };
  let folder;
  before(async () => {
    it.server = await Server.start();
    folder = await mkdtemp(join(tmpdir(), "fake-sqs-browser-"));
    it.context = await chromium.launchPersistentContext(folder, {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      headless: true,
      timeout: BOUND_MS,
      args: ARGUMENTS,
      viewport: { width: 1280, height: 860 },
      locale: "en-GB",
      timezoneId: "UTC",
    });
  });
  after(async () => {
    await it.context?.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    await it.server?.stop();
  });
  beforeEach(async () => {
    await it.server.control("POST", "reset");
    it.errors = [];
    it.allowed = [];
    it.page = await newPage(it);
  });
  afterEach(async () => {
    await it.page.close();
    const errors = it.errors.filter((error) => !it.allowed.some((pattern) => pattern.test(error)));
    assert.deepEqual(errors, [], "errors in the browser's console");
  });
  return it;
}

/** A further page, watched for errors. */
export async function newPage(it) {
  const page = await it.context.newPage();
  page.setDefaultTimeout(BOUND_MS);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) it.errors.push(message.text());
  });
  page.on("pageerror", (error) => it.errors.push(String(error)));
  // Whatever is loaded is the server's own.
  page.on("request", (request) => {
    if (!request.url().startsWith(`${it.server.endpoint}/_fake/`) && request.url() !== `${it.server.endpoint}/`) {
      it.errors.push(`the page asked for ${request.url()}`);
    }
  });
  return page;
}

/** Allows answers that are errors, which the browser writes to its console. */
export function expectRefusals(it) {
  it.allowed.push(REFUSED);
}

/** Opens a place of the page. */
export async function open(it, place = "#/queues") {
  await it.page.goto(`${it.server.endpoint}/_fake/${place}`);
  await it.page.locator("#link[data-state=live]").waitFor();
}

/** Waits until an element is there that has this text. */
export async function sees(page, selector, text) {
  const found = page.locator(selector).filter({ hasText: text });
  await found.first().waitFor();
  return found.first();
}

/** Waits until there is none. */
export async function seesNo(page, selector, text) {
  await page.locator(selector).filter({ hasText: text }).first().waitFor({ state: "hidden" });
}

/** The row of a table that has this text. */
export function row(page, text) {
  return page.locator("main tbody tr:not(.opened)").filter({ hasText: text });
}

/** The texts of a row's cells, without those that are hidden. */
export async function cells(locator) {
  const all = await locator.locator("th, td").all();
  const texts = [];
  for (const cell of all) if (await cell.isVisible()) texts.push((await cell.innerText()).trim());
  return texts;
}

/** Fills the dialog that is open and submits it. */
export async function fillDialog(page, values, submit) {
  const dialog = page.locator("dialog[open]");
  for (const [label, value] of Object.entries(values)) {
    const control = dialog.getByLabel(label, { exact: true });
    if (typeof value === "boolean") await control.setChecked(value);
    else await control.fill(value);
  }
  await dialog.getByRole("button", { name: submit }).click();
}
