// The messages of a queue: a row for each, which opens to show the whole of it.

import { messages } from "./api.js";
import { countdown } from "./clock.js";
import { attribute, button, el, facts, keyed, show, table, text } from "./dom.js";
import { bytes, counted, duration, exact, laidOut, moment, number, preview, timeOfDay } from "./format.js";
import { pager } from "./pager.js";
import { here, note } from "./trail.js";

/** Messages on one page. */
const PAGE = 25;

/** Characters of a body that are shown before one asks for the rest. */
const BODY_MAX = 20_000;

const COLUMNS = [
  ["Body", "body"],
  ["State", "state"],
  ["Time left", "end"],
  ["Receives", "count"],
  ["Group", "wide group"],
  ["Sent", "wide end"],
];

const STATE_WORDS = { visible: "visible", in_flight: "in flight", delayed: "delayed" };

/** What comes at the end of the time that is left. */
const END_WORDS = { visible: "expires in ", in_flight: "visible in ", delayed: "visible in " };

export function messageList(place, app) {
  const { whole, body } = table("Messages", COLUMNS, { class: "messages" });
  const empty = el("p", { class: "empty", hidden: true });
  const pages = pager();
  const root = el("div", {}, whole, empty, pages.root);
  const context = {
    place,
    app,
    open: (id) => {
      note({ open: id });
      app.refresh();
    },
    // What had the focus goes, so the focus goes to its neighbour.
    leave: (row) => {
      const next = row.nextElementSibling?.nextElementSibling ?? row.previousElementSibling?.previousElementSibling;
      (next?.querySelector("button") ?? document.getElementById("main")).focus();
    },
  };

  async function refresh(path, query, count) {
    const { state, after } = query;
    const answer = await messages.list(place, { state, after, limit: PAGE });
    const hasGroups = answer.messages.some((message) => message.group !== null && message.group !== undefined);
    attribute(whole, "data-groups", hasGroups ? "" : null);
    const { open } = here().query;
    keyed(
      body,
      answer.messages.map((message) => ({ message, isOpen: message.id === open })),
      ({ message }) => message.id,
      ({ message }) => messageRow(message, context),
    );
    const isEmpty = answer.messages.length === 0;
    show(whole, !isEmpty);
    show(empty, isEmpty);
    text(empty, emptyWords(state, count, answer.after));
    pages.show({ path, query, next: answer.after, shown: answer.messages.length });
  }

  return { root, refresh };
}

function emptyWords(state, count, after) {
  if (after) return "None on this page. There are more further on.";
  if (count > 0) return "No more here.";
  return state ? `No message is ${STATE_WORDS[state] ?? "like that"}.` : "There are no messages in this queue.";
}

function messageRow(first, context) {
  const detailId = `m-${first.id}`;
  const begun = el("span", { class: "preview" });
  const toggle = el("button", {
    type: "button",
    class: "toggle",
    "aria-expanded": "false",
    "aria-controls": detailId,
    onclick: () => context.open(toggle.getAttribute("aria-expanded") === "true" ? "" : first.id),
  }, begun);
  const state = el("span", { class: "chip" });
  const word = el("span", { class: "word" });
  const left = countdown((seconds) => duration(Math.max(0, seconds)));
  const leftCell = el("td", { class: "end figures left" }, word, left.element);
  const receives = el("td", { class: "count" });
  const sent = el("time", { title: exact(first.sent_at) }, timeOfDay(first.sent_at));
  const row = el(
    "tr",
    { class: "message" },
    el("th", { scope: "row", class: "body" }, toggle),
    el("td", { class: "state" }, state),
    leftCell,
    receives,
    el("td", { class: "wide group" }, first.group ?? ""),
    el("td", { class: "wide end figures" }, sent),
  );
  const cell = el("td", { colspan: COLUMNS.length });
  const detailRow = el("tr", { class: "opened", id: detailId, hidden: true }, cell);
  let detail = null;
  text(begun, first.body === "" ? "(empty)" : preview(first.body));

  return {
    nodes: [row, detailRow],
    update({ message, isOpen }) {
      text(state, STATE_WORDS[message.state]);
      attribute(state, "data-state", message.state);
      text(word, END_WORDS[message.state]);
      attribute(leftCell, "data-state", message.state);
      left.until(message.visible_at ?? message.expires_at ?? null);
      text(receives, number(message.receive_count));
      attribute(receives, "data-none", message.receive_count === 0 ? "" : null);
      attribute(toggle, "aria-expanded", String(isOpen));
      show(detailRow, isOpen);
      if (isOpen && detail === null) {
        detail = messageDetail(message, context, row);
        cell.replaceChildren(detail.root);
      }
      if (isOpen) detail.update(message);
    },
  };
}

/** The whole of a message, and what can be done with it. */
function messageDetail(message, { place, app, leave }, row) {
  const { id } = message;
  const release = button("Make visible now", () =>
    app.attempt(async () => {
      await messages.release(place, id);
      app.say("The message is visible.");
    }), { "data-deed": "release" });
  const remove = button("Delete message", () =>
    app.attempt(async () => {
      await messages.remove(place, id);
      app.say("The message was deleted.");
      leave(row);
    }), { class: "danger", "data-deed": "delete" });
  const changing = el("div");
  const root = el(
    "div",
    { class: "detail" },
    bodyBlock(message),
    attributeTable(message.message_attributes ?? {}),
    changing,
    el("div", { class: "actions" }, release, remove),
  );
  return {
    root,
    update(now) {
      show(release, now.state !== "visible");
      const pairs = factsOf(now);
      const key = JSON.stringify(pairs);
      if (changing.dataset.shown === key) return;
      changing.dataset.shown = key;
      changing.replaceChildren(facts(pairs));
    },
  };
}

function factsOf(message) {
  const { attributes = {} } = message;
  const at = (millis) => (millis === null || millis === undefined ? null : moment(millis));
  return [
    ["Message id", message.id],
    ["Sent", at(message.sent_at)],
    ["First received", at(message.first_received_at)],
    ["Received", counted(message.receive_count, "time")],
    [message.state === "delayed" ? "Delayed until" : "Hidden until", at(message.visible_at)],
    ["Expires", at(message.expires_at)],
    ["Group", message.group],
    ["Deduplication id", message.deduplication_id],
    ["Sequence number", message.sequence_number],
    ["Sender", attributes.SenderId],
    ["Dead letter of", attributes.DeadLetterQueueSourceArn],
    ["Trace header", attributes.AWSTraceHeader],
    ["MD5 of the body", message.md5],
    ["Receipt handle", message.receipt_handle],
  ];
}

function bodyBlock({ body }) {
  const plain = el("pre", { tabindex: 0, "aria-label": "Body" });
  const formatted = laidOut(body);
  let isLaidOut = formatted !== body;
  let isWhole = body.length <= BODY_MAX;
  const rest = button("Show all of it", () => {
    isWhole = true;
    draw();
  });
  const draw = () => {
    const shown = isLaidOut ? formatted : body;
    plain.textContent = isWhole ? shown : shown.slice(0, BODY_MAX);
    show(rest, !isWhole);
    text(switcher, isLaidOut ? "As it was sent" : "Laid out");
  };
  const switcher = button("", () => {
    isLaidOut = !isLaidOut;
    draw();
  }, { class: "small" });
  show(switcher, formatted !== body);
  const copy = button("Copy", async () => {
    await navigator.clipboard.writeText(body);
    text(copy, "Copied");
  }, { class: "small", hidden: navigator.clipboard === undefined });
  draw();
  const size = bytes(new TextEncoder().encode(body).length);
  return el("div", { class: "bodyblock" }, el("div", { class: "bar" }, el("span", { class: "quiet" }, `Body, ${size}`), switcher, copy), plain, rest);
}

function attributeTable(attributes) {
  const entries = Object.entries(attributes);
  if (entries.length === 0) return null;
  const { whole, body } = table("Message attributes", [["Attribute"], ["Type"], ["Value"]]);
  for (const [name, value] of entries) {
    const shown = value.StringValue ?? (value.BinaryValue === undefined ? "" : `${value.BinaryValue} (base64)`);
    body.append(el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "quiet" }, value.DataType), el("td", { class: "value" }, shown)));
  }
  return whole;
}
