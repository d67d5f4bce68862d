// One queue: its messages, and what else there is to know about it.

import { messages, queues } from "./api.js";
import { countdown } from "./clock.js";
import { confirm, form } from "./dialog.js";
import { attribute, button, el, facts, field, keyed, show, table, text } from "./dom.js";
import { counted, duration, moment, number, shortMoment } from "./format.js";
import { messageList } from "./messages.js";
import { deadLetters } from "./queues.js";
import { send } from "./send.js";
import { address, go } from "./trail.js";

/** Groups, ids, polls and tasks that are shown of each. */
const SIDE_MAX = 20;

const STATES = [
  ["", "All"],
  ["visible", "Visible"],
  ["in_flight", "In flight"],
  ["delayed", "Delayed"],
];

export function queueView(place, app) {
  const path = ["queues", place.account, place.region, place.name];
  const isFifo = place.name.endsWith(".fifo");
  const tabs = STATES.map(([state, label]) => {
    const count = el("span", { class: "figure" });
    const link = el("a", { href: address(path, { state }), "data-state": state || "all" }, `${label} `, count);
    return { state, link, count };
  });
  const list = messageList(place, app);
  const side = sidePanel(isFifo);
  const actions = el("div", { class: "tools", role: "group", "aria-label": "What to do with this queue" }, ...buttons(place, app));
  const missing = el("p", { class: "empty", hidden: true }, "There is no such queue. It may have been deleted.");
  const arn = el("code", { class: "arn" });
  const content = el(
    "div",
    { class: "split" },
    el(
      "div",
      {},
      el("nav", { class: "tabs", "aria-label": "Messages by state" }, ...tabs.map(({ link }) => link)),
      list.root,
    ),
    side.root,
  );
  const root = el(
    "section",
    { class: "view" },
    el("p", { class: "crumb" }, el("a", { href: "#/queues" }, "Queues"), ` / ${place.account} / ${place.region}`),
    el("div", { class: "head" }, el("h1", {}, place.name), actions),
    arn,
    missing,
    content,
  );

  async function refresh(query) {
    let queue;
    try {
      queue = await queues.show(place);
    } catch (error) {
      if (error.status !== 404) throw error;
      for (const part of [content, actions, arn]) show(part, false);
      return show(missing, true);
    }
    for (const part of [content, actions, arn]) show(part, true);
    show(missing, false);
    text(arn, queue.arn);
    const { visible, in_flight, delayed } = queue.counts;
    const counts = { "": visible + in_flight + delayed, visible, in_flight, delayed };
    for (const { state, link, count } of tabs) {
      text(count, number(counts[state]));
      attribute(link, "aria-current", (query.state ?? "") === state ? "page" : null);
    }
    side.show(queue);
    await list.refresh(path, query, counts[query.state ?? ""] ?? 0);
  }

  return { root, title: place.name, refresh };
}

function buttons(place, app) {
  const path = ["queues", place.account, place.region, place.name];
  const purge = async () => {
    const isDone = await confirm({
      title: `Purge ${place.name}?`,
      sentence: "Every message in it is deleted, in whatever state.",
      action: "Purge",
      act: () => queues.purge(place),
    });
    if (isDone) app.say(`${place.name} was purged.`);
    app.refresh();
  };
  const remove = async () => {
    const isDone = await confirm({
      title: `Delete ${place.name}?`,
      sentence: "The queue and every message in it are gone then. Its name can be used again at once.",
      action: "Delete queue",
      act: () => queues.remove(place),
    });
    if (isDone) {
      app.say(`${place.name} was deleted.`);
      go(["queues"]);
    }
  };
  const redrive = () =>
    app.attempt(async () => {
      await queues.redrive(place);
      app.say("The messages are on their way back to the queues that they came from.");
    });
  const receive = async () => {
    const received = await receiveDialog(place);
    if (received === null) return;
    app.say(received.length === 0 ? "There was nothing to receive." : `${counted(received.length, "message")} received.`);
    if (received.length > 0) go(path, { state: "in_flight", open: received[0].id });
    app.refresh();
  };
  return [
    button("Send…", () => send(place, app), { class: "primary", id: "send" }),
    button("Receive…", receive, { id: "receive" }),
    button("Redrive", redrive, { id: "redrive", title: "Moves dead letters back to the queues that they came from" }),
    button("Purge…", purge, { id: "purge" }),
    button("Delete…", remove, { id: "delete-queue", class: "danger" }),
  ];
}

/** Receives as a client would. Returns the messages, or `null` when it was cancelled. */
async function receiveDialog(place) {
  const most = el("input", { name: "max", inputmode: "numeric", value: "1", autofocus: true, autocomplete: "off" });
  const hidden = el("input", { name: "timeout", inputmode: "numeric", placeholder: "the queue's own", autocomplete: "off" });
  let received = null;
  const submit = async () => {
    const how = { max: integer(most, "How many messages") };
    if (hidden.value.trim() !== "") how.visibility_timeout = integer(hidden, "The visibility timeout");
    received = (await messages.receive(place, how)).messages;
  };
  await form({
    title: "Receive messages",
    action: "Receive",
    submit,
    content: [
      el("p", { class: "quiet" }, "As a client receives: it counts, and the messages are hidden until their visibility timeout ends. To look only, open a message in the list."),
      el("div", { class: "columns" }, field("At most, 1 to 10", most), field("Visibility timeout, seconds", hidden)),
    ],
  });
  return received;
}

function integer(input, what) {
  if (!/^\d+$/.test(input.value.trim())) throw new Error(`${what} must be a whole number.`);
  return Number(input.value.trim());
}

/** What there is to know about a queue besides its messages. */
function sidePanel(isFifo) {
  const attributes = el("div");
  const tags = section("Tags", el("div"));
  const groups = timed("Message groups", [["Group"], ["Messages", "count"], ["Blocked for", "end"]]);
  const dedup = timed("Deduplication ids", [["Id"], ["Forgotten in", "end"]]);
  const polls = timed("Waiting polls", [["Takes up to"], ["Ends in", "end"]]);
  const tasks = timed("Move tasks", [["Status"], ["Moved", "count"], ["Started", "end"]]);
  const root = el(
    "aside",
    { "aria-label": "About this queue" },
    polls.root,
    tasks.root,
    groups.root,
    dedup.root,
    section("Attributes", attributes).root,
    tags.root,
  );

  function showQueue(queue) {
    const told = Object.entries(queue.attributes).filter(([name]) => !HIDDEN.has(name));
    shownFacts(attributes, told.map(([name, value]) => [name, inWords(name, value, queue.attributes)]));
    shownFacts(tags.content, Object.entries(queue.tags));
    show(tags.root, Object.keys(queue.tags).length > 0);
    groups.show(isFifo, queue.groups ?? [], queue.groups_after, (group) => group.name, (group) => ({
      cells: [group.name, number(group.messages)],
      until: group.blocked_by?.visible_at ?? null,
      otherwise: "free",
    }));
    dedup.show(isFifo, queue.dedup ?? [], queue.dedup_after, (id) => `${id.id} ${id.sequence_number}`, (id) => ({
      cells: [id.id],
      until: id.forgotten_at,
    }));
    const waiting = (queue.polls ?? []).map((poll, index) => ({ ...poll, index }));
    polls.show(waiting.length > 0, waiting, null, (poll) => poll.index, (poll) => ({
      cells: [counted(poll.max_messages, "message")],
      until: poll.ends_at,
    }));
    const moves = queue.move_tasks ?? [];
    tasks.show(moves.length > 0, moves, null, (task) => task.StartedTimestamp, (task) => ({
      cells: [
        task.FailureReason ? `${task.Status}: ${task.FailureReason}` : task.Status,
        `${number(task.ApproximateNumberOfMessagesMoved)} of ${number(task.ApproximateNumberOfMessagesToMove)}`,
      ],
      until: null,
      otherwise: moment(task.StartedTimestamp),
    }));
  }

  return { root, show: showQueue };
}

function section(title, content) {
  return { root: el("section", {}, el("h2", {}, title), content), content };
}

function shownFacts(element, pairs) {
  const key = JSON.stringify(pairs);
  // What stays the same keeps what is selected in it.
  if (element.dataset.shown === key) return;
  element.dataset.shown = key;
  element.replaceChildren(facts(pairs));
}

/** A small table whose last column counts down. */
function timed(title, columns) {
  const { whole, body } = table(title, columns);
  const none = el("p", { class: "quiet" }, "none");
  const more = el("p", { class: "quiet", hidden: true }, `and more; the first ${SIDE_MAX} are shown`);
  const root = el("section", { hidden: true }, el("h2", {}, title), whole, none, more);
  const make = () => {
    const cells = columns.slice(0, -1).map(([, kind]) => el("td", { class: kind }));
    const left = countdown((seconds) => duration(Math.max(0, seconds)));
    const last = el("td", { class: "end figures" }, left.element);
    return { cells, left, node: el("tr", {}, ...cells, last) };
  };
  return {
    root,
    show(isThere, items, after, keyOf, describe) {
      show(root, isThere);
      const shown = items.slice(0, SIDE_MAX);
      show(whole, shown.length > 0);
      show(none, shown.length === 0);
      show(more, items.length > SIDE_MAX || Boolean(after));
      keyed(body, shown, keyOf, () => {
        const row = make();
        return {
          nodes: [row.node],
          update(item) {
            const { cells, until, otherwise } = describe(item);
            row.cells.forEach((cell, index) => text(cell, cells[index]));
            row.left.until(until);
            if (until === null) text(row.left.element, otherwise);
          },
        };
      });
    },
  };
}

/** Attributes that are shown elsewhere on the page. */
const HIDDEN = new Set([
  "QueueArn",
  "ApproximateNumberOfMessages",
  "ApproximateNumberOfMessagesNotVisible",
  "ApproximateNumberOfMessagesDelayed",
]);

const SECONDS = new Set([
  "DelaySeconds",
  "KmsDataKeyReusePeriodSeconds",
  "MessageRetentionPeriod",
  "ReceiveMessageWaitTimeSeconds",
  "VisibilityTimeout",
]);

function inWords(name, value, attributes) {
  if (name === "RedrivePolicy") return deadLetters(attributes) || value;
  if (SECONDS.has(name)) return duration(Number(value));
  if (name === "CreatedTimestamp" || name === "LastModifiedTimestamp") return shortMoment(Number(value) * 1000);
  if (name === "MaximumMessageSize") return `${number(Number(value))} bytes`;
  return value;
}
