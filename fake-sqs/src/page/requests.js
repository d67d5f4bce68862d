// The journal: what clients asked for and what they were answered, the newest first.

import { requests } from "./api.js";
import { attribute, button, choice, el, facts, keyed, show, table, text, unseen } from "./dom.js";
import { bytes, exact, formLaidOut, laidOut, moment, number, timeOfDay } from "./format.js";
import { ACTIONS } from "./names.js";
import { address, go, here, note } from "./trail.js";

/** Requests that are shown at once. */
const SHOWN_MAX = 200;

/** How long after the last key a filter is used, in milliseconds. */
const PAUSE_MS = 200;

const OUTCOMES = [
  ["", "every outcome"],
  ["ok", "done"],
  ["partial", "done in part"],
  ["error", "an error"],
  ["refused", "refused signature"],
  ["hung_up", "client hung up"],
  ["closed", "closed by a fault"],
];

const COLUMNS = [
  ["Time", "time"],
  ["Action", "action"],
  ["Queue", "wide queue"],
  ["Answer", "answer"],
  ["ms", "count"],
];

export function requestsView(app) {
  const { whole, body } = table("Requests, the newest first", COLUMNS, { class: "requests" });
  const action = choice({ name: "action", "aria-label": "Action", onchange: apply }, [["", "every action"], ...ACTIONS.map((name) => [name, name])], "");
  const outcome = choice({ name: "outcome", "aria-label": "Outcome", onchange: apply }, OUTCOMES, "");
  let timer = 0;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(apply, PAUSE_MS);
  };
  const queue = el("input", { name: "queue", type: "search", "aria-label": "Queue", placeholder: "Queue", autocomplete: "off", spellcheck: "false", oninput: later, onchange: apply });
  const empty = el("p", { class: "empty", hidden: true });
  const full = el("p", { class: "quiet", hidden: true }, `The last ${SHOWN_MAX} are shown.`);
  let isPaused = false;
  const pause = button("Pause", () => {
    isPaused = !isPaused;
    text(pause, isPaused ? "Go on" : "Pause");
    attribute(pause, "aria-pressed", String(isPaused));
    if (!isPaused) app.refresh();
  }, { "aria-pressed": "false", id: "pause" });
  const root = el(
    "section",
    { class: "view" },
    el("div", { class: "head" }, el("h1", {}, "Requests"), el("div", { class: "tools" }, pause)),
    el("search", { class: "filters" }, action, queue, outcome),
    whole,
    empty,
    full,
  );

  function apply() {
    clearTimeout(timer);
    const { path, query } = here();
    // A field that goes with its part of the page tells of a change once more.
    if (path[0] !== "requests") return;
    const wanted = { action: action.value, queue: queue.value.trim(), outcome: outcome.value };
    if (Object.entries(wanted).every(([name, value]) => (query[name] ?? "") === value)) return;
    go(["requests"], { ...query, ...wanted, open: "" });
  }

  const log = tail();
  const context = {
    open: (seq) => {
      note({ open: seq });
      draw();
    },
  };
  function draw() {
    const { open } = here().query;
    const items = log.newestFirst.map((request) => ({ request, isOpen: String(request.seq) === open }));
    keyed(body, items, ({ request }) => request.seq, ({ request }) => requestRow(request, context));
    const isEmpty = items.length === 0;
    show(whole, !isEmpty);
    show(empty, isEmpty);
    show(full, items.length >= SHOWN_MAX);
  }

  async function refresh(query) {
    for (const input of [action, queue, outcome]) {
      if (document.activeElement !== input || input !== queue) input.value = query[input.name] ?? "";
    }
    const filter = { action: query.action, queue: query.queue, outcome: query.outcome };
    if (isPaused && log.isFor(filter)) return;
    await log.read(filter);
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    text(empty, isFiltered ? "No request is like that." : "There were no requests yet. What SQS clients ask for is listed here.");
    draw();
  }

  return { root, title: "Requests", refresh };
}

/** The end of the journal as far as it is shown; what is new is read and added. */
function tail() {
  let key = null;
  let next = null;
  let list = [];
  const keyOf = (filter) => JSON.stringify(filter);
  return {
    get newestFirst() {
      return list;
    },
    isFor: (filter) => keyOf(filter) === key,
    async read(filter) {
      const wanted = keyOf(filter);
      if (wanted !== key) {
        next = null;
        list = [];
      }
      const answer = await requests.list({ ...filter, after: next, last: SHOWN_MAX });
      // Another server at this port counts anew.
      if (next !== null && answer.next < next) {
        key = null;
        return this.read(filter);
      }
      key = wanted;
      next = answer.next;
      // What the journal has forgotten is gone here too: after a reset, all of it.
      const kept = list.filter((request) => request.seq > answer.forgotten);
      list = [...answer.requests.reverse(), ...kept].slice(0, SHOWN_MAX);
    },
  };
}

function requestRow(request, context) {
  const detailId = `r-${request.seq}`;
  const toggle = el("button", {
    type: "button",
    class: "toggle",
    "aria-expanded": "false",
    "aria-controls": detailId,
    onclick: () => context.open(toggle.getAttribute("aria-expanded") === "true" ? "" : request.seq),
  }, request.action ?? "no action");
  const row = el(
    "tr",
    { "data-outcome": request.outcome },
    el("td", { class: "time figures" }, el("time", { title: exact(request.at) }, timeOfDay(request.at))),
    el("th", { scope: "row", class: "action" }, toggle),
    el("td", { class: "wide queue" }, queueLink(request)),
    el("td", { class: "answer" }, ...answerCell(request)),
    el("td", { class: "count" }, milliseconds(request.duration_ms)),
  );
  const cell = el("td", { colspan: COLUMNS.length });
  const detailRow = el("tr", { class: "opened", id: detailId, hidden: true }, cell);
  let explained = null;
  return {
    nodes: [row, detailRow],
    update({ request: now, isOpen }) {
      attribute(toggle, "aria-expanded", String(isOpen));
      show(detailRow, isOpen);
      // What is found out about a refusal may come after its answer.
      const key = JSON.stringify(now);
      if (isOpen && explained !== key) {
        explained = key;
        cell.replaceChildren(requestDetail(now));
      }
    },
  };
}

const OUTCOME_WORDS = { hung_up: "the client hung up", closed: "closed by a fault", partial: "in part" };

function answerCell(request) {
  const words = request.error ?? OUTCOME_WORDS[request.outcome];
  const status = request.status === null ? [] : [el("span", { class: "status" }, String(request.status)), " "];
  return words === undefined ? status : [...status, el("span", { class: "error" }, words)];
}

function queueLink(request) {
  const { account, region, queue } = request;
  if (!queue) return unseen("none");
  if (!account || !region) return queue;
  return el("a", { href: address(["queues", account, region, queue]) }, queue);
}

function milliseconds(value) {
  if (value === null || value === undefined) return "";
  return value < 10 ? value.toFixed(1) : number(Math.round(value));
}

/** Everything that the journal holds of a request. */
function requestDetail(request) {
  const ids = request.message_ids ?? [];
  const failed = (request.failed ?? []).map((one) => [one.id, one.error].filter(Boolean).join(": "));
  const list = facts([
    ["Number", number(request.seq)],
    ["At", moment(request.at)],
    ["Queue", request.queue],
    ["Account", request.account],
    ["Region", request.region],
    ["Access key", request.access_key],
    ["Request", [request.method, request.path].filter(Boolean).join(" ")],
    ["Request id", request.request_id],
    ["Error", [request.error, request.error_message].filter(Boolean).join(": ")],
    ["Failed", failed.join(", ")],
    ["Faults that it met", (request.faults ?? []).map((fault) => `${fault.kind} (${fault.id})`).join(", ")],
    [ids.length === 1 ? "Message" : "Messages", ids.join(", ")],
    ["With a handle that held no longer", (request.stale_ids ?? []).join(", ")],
  ]);
  return el(
    "div",
    { class: "detail" },
    request.refusal ? refusalPanel(request.refusal) : null,
    list,
    excerpt("Request", request.request_body, request.request_bytes),
    excerpt("Answer", request.response_body, request.response_bytes),
  );
}

/** The beginning of a body, which is all that the journal keeps. */
function excerpt(name, body, length) {
  if (!body) return null;
  const isCut = length > new TextEncoder().encode(body).length;
  const words = `${name}, ${bytes(length)}${isCut ? ", its beginning" : ""}`;
  const shown = formLaidOut(body) ?? (isCut ? body : laidOut(body));
  return el("div", { class: "bodyblock" }, el("div", { class: "bar" }, el("span", { class: "quiet" }, words)), el("pre", { tabindex: 0, "aria-label": name }, shown));
}

/** Why a signature was refused, for a person: what is wrong, what to do, and the evidence. */
function refusalPanel(refusal) {
  const canonical = refusal.canonical_request;
  return el(
    "section",
    { class: "refusal", "aria-label": "Why the signature was refused" },
    el("h2", {}, "Why it was refused"),
    el("p", { class: "reason" }, el("span", { class: "chip", "data-state": "refused" }, words(refusal.reason))),
    el("p", { class: "explanation" }, sentence(refusal.explanation)),
    el("h3", {}, "What to do"),
    el("p", { class: "advice" }, sentence(refusal.advice)),
    canonical ? canonicalBlock(canonical, refusal) : null,
  );
}

/** The canonical request, a line a part, with those lines marked that the client had otherwise. */
function canonicalBlock(canonical, refusal) {
  const marked = new Set(refusal.differing_lines ?? []);
  const lines = canonical.split("\n").map((line, index) =>
    el("li", { "data-differs": marked.has(index + 1) }, el("code", {}, line === "" ? " " : line), marked.has(index + 1) ? unseen(" (differs)") : null),
  );
  return el("div", {}, el("h3", {}, "The request as the server canonicalised it"), el("ol", { class: "canonical", tabindex: 0 }, ...lines));
}

function words(reason) {
  return String(reason ?? "").replace(/([a-z])([A-Z])/g, "$1 $2").replace(/_/g, " ").toLowerCase();
}

function sentence(text) {
  const begun = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
