// All queues, with how much is in each.

import { queues } from "./api.js";
import { form } from "./dialog.js";
import { attribute, button, el, field, keyed, show, table, text, unseen } from "./dom.js";
import { number } from "./format.js";
import { pager } from "./pager.js";
import { address, go, here } from "./trail.js";

/** Queues on one page. */
const PAGE = 50;

/** How long after the last key a search begins, in milliseconds. */
const PAUSE_MS = 200;

const COLUMNS = [
  ["Queue", "name"],
  ["Visible", "count"],
  ["In flight", "count"],
  ["Delayed", "count"],
  ["Polls", "count wide"],
  ["Dead letters to", "wide letters"],
  ["Account", "wide"],
  ["Region", "wide"],
];

export function queuesView(app) {
  const { whole, body } = table("Queues", COLUMNS, { class: "queues" });
  const search = filter("search", "prefix", "Name begins with", { placeholder: "Name begins with…" });
  const account = filter("text", "account", "Account", { placeholder: "Account", inputmode: "numeric", class: "narrow" });
  const region = filter("text", "region", "Region", { placeholder: "Region", class: "narrow" });
  const empty = el("div", { class: "empty", hidden: true });
  const pages = pager();
  const create = button("Create queue…", () => createQueue(app), { class: "primary", id: "create-queue" });
  const root = el(
    "section",
    { class: "view" },
    el("div", { class: "head" }, el("h1", {}, "Queues"), el("div", { class: "tools" }, create)),
    el("search", { class: "filters" }, search, account, region),
    whole,
    empty,
    pages.root,
  );

  async function refresh(query) {
    for (const input of [search, account, region]) {
      if (document.activeElement !== input) input.value = query[input.name] ?? "";
    }
    const { prefix, account: owner, region: home, after } = query;
    const answer = await queues.list({ prefix, account: owner, region: home, after, limit: PAGE });
    keyed(body, answer.queues, (queue) => queue.arn, queueRow);
    const isEmpty = answer.queues.length === 0;
    show(whole, !isEmpty);
    show(empty, isEmpty);
    const isFiltered = [prefix, owner, home, after].some((value) => value !== undefined);
    text(empty, isFiltered ? "No queue is like that." : "There are no queues yet. A client can create one, and so can you.");
    pages.show({ path: ["queues"], query, next: answer.after, shown: answer.queues.length });
  }

  return { root, title: "fake-sqs", refresh };
}

/** A field whose text is part of the page's address. */
function filter(type, name, label, attributes) {
  let timer = 0;
  const apply = () => {
    clearTimeout(timer);
    const { path, query } = here();
    // A field that goes with its part of the page tells of a change once more.
    if (path.length > 1 || (path[0] ?? "queues") !== "queues") return;
    if ((query[name] ?? "") === input.value.trim()) return;
    go(["queues"], { ...query, after: "", page: "", [name]: input.value.trim() });
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(apply, PAUSE_MS);
  };
  const input = el("input", {
    type,
    name,
    "aria-label": label,
    autocomplete: "off",
    spellcheck: "false",
    oninput: later,
    onchange: apply,
    ...attributes,
  });
  return input;
}

function queueRow(queue) {
  const { account, region, name } = queue;
  const link = el("a", { href: address(["queues", account, region, name]) }, name);
  const counts = ["visible", "in_flight", "delayed", "waiting_polls"].map((state) =>
    el("td", { class: state === "waiting_polls" ? "count wide" : "count", "data-state": state }),
  );
  const letters = el("td", { class: "wide quiet letters" });
  const node = el(
    "tr",
    {},
    el("th", { scope: "row", class: "name" }, link, name.endsWith(".fifo") ? unseen(" (FIFO)") : null),
    ...counts,
    letters,
    el("td", { class: "wide quiet figures" }, account),
    el("td", { class: "wide quiet" }, region),
  );
  return {
    nodes: [node],
    update(now) {
      const values = [now.counts.visible, now.counts.in_flight, now.counts.delayed, now.waiting_polls];
      counts.forEach((cell, index) => {
        text(cell, number(values[index]));
        attribute(cell, "data-none", values[index] === 0 ? "" : null);
      });
      text(letters, deadLetters(now.attributes));
    },
  };
}

/** Where a queue's dead letters go, and after how many receives. */
export function deadLetters(attributes) {
  try {
    const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(attributes.RedrivePolicy);
    return `${deadLetterTargetArn.split(":").pop()} after ${maxReceiveCount}`;
  } catch {
    return "";
  }
}

async function createQueue(app) {
  const name = el("input", { name: "name", required: true, maxlength: 80, autocomplete: "off", spellcheck: "false", autofocus: true });
  const fifo = el("input", { type: "checkbox", name: "fifo" });
  const inputs = {
    VisibilityTimeout: numeric("30"),
    DelaySeconds: numeric("0"),
    MessageRetentionPeriod: numeric("345600"),
    ReceiveMessageWaitTimeSeconds: numeric("0"),
  };
  const content = el("input", { type: "checkbox", name: "content" });
  const letters = el("input", { name: "letters", placeholder: "arn:aws:sqs:…", autocomplete: "off", spellcheck: "false" });
  const receives = numeric("3");
  const account = el("input", { name: "account", placeholder: "000000000000", inputmode: "numeric", autocomplete: "off" });
  const region = el("input", { name: "region", placeholder: "us-east-1", autocomplete: "off" });
  const contentField = el("label", { class: "check", hidden: true }, content, "Deduplicate by content");
  fifo.addEventListener("change", () => show(contentField, fifo.checked));
  const given = { name: "" };
  const submit = async () => {
    const attributes = {};
    for (const [attributeName, input] of Object.entries(inputs)) {
      if (input.value.trim() !== "") attributes[attributeName] = input.value.trim();
    }
    given.name = name.value.trim();
    if (given.name === "") throw new Error("A queue needs a name.");
    if (fifo.checked && !given.name.endsWith(".fifo")) given.name += ".fifo";
    if (fifo.checked || given.name.endsWith(".fifo")) attributes.FifoQueue = "true";
    if (fifo.checked && content.checked) attributes.ContentBasedDeduplication = "true";
    if (letters.value.trim() !== "") {
      const maxReceiveCount = receives.value.trim() || "3";
      attributes.RedrivePolicy = JSON.stringify({ deadLetterTargetArn: letters.value.trim(), maxReceiveCount });
    }
    const queue = { name: given.name, attributes };
    if (account.value.trim() !== "") queue.account = account.value.trim();
    if (region.value.trim() !== "") queue.region = region.value.trim();
    await queues.create(queue);
  };
  const isDone = await form({
    title: "Create a queue",
    action: "Create queue",
    submit,
    content: [
      field("Name", name),
      el("label", { class: "check" }, fifo, "FIFO: in order and exactly once; the name ends in .fifo"),
      contentField,
      el(
        "div",
        { class: "columns" },
        field("Visibility timeout, seconds", inputs.VisibilityTimeout),
        field("Delay, seconds", inputs.DelaySeconds),
        field("Retention, seconds", inputs.MessageRetentionPeriod),
        field("Receive wait, seconds", inputs.ReceiveMessageWaitTimeSeconds),
      ),
      el(
        "details",
        {},
        el("summary", {}, "Dead letters, account and region"),
        el(
          "div",
          { class: "columns" },
          field("Dead-letter queue's ARN", letters),
          field("after so many receives", receives),
          field("Account", account),
          field("Region", region),
        ),
      ),
    ],
  });
  if (isDone) {
    app.say(`The queue ${given.name} was created.`);
    app.refresh();
  }
}

function numeric(placeholder) {
  return el("input", { inputmode: "numeric", placeholder, autocomplete: "off" });
}
