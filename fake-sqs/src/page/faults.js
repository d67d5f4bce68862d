// Faults: which there are, how often each struck, and new ones.

import { faults } from "./api.js";
import { button, choice, el, field, keyed, show, table, text } from "./dom.js";
import { counted, number } from "./format.js";
import { ACTIONS, ERRORS } from "./names.js";

const KINDS = [
  ["error", "An error"],
  ["throttle", "Throttling"],
  ["delay", "A delay"],
  ["close", "A closed connection"],
  ["empty_receive", "An empty receive"],
  ["duplicate", "Duplicate delivery"],
  ["shuffle", "Delivery out of order"],
  ["batch_partial", "A batch that fails in part"],
  ["expire_handle", "An expired receipt handle"],
  ["slow_body", "A slow body"],
];

export function faultsView(app) {
  const { whole, body } = table("Faults", [["Fault"], ["Where"], ["How often"], ["Hits", "count"], ["", "end"]], { class: "faults" });
  const empty = el("p", { class: "empty", hidden: true }, "There are no faults. Calls are answered as they should be.");
  const removeAll = button("Remove all", () => app.attempt(() => faults.removeAll()), { id: "remove-faults" });
  const form = addForm(app);
  const root = el(
    "section",
    { class: "view" },
    el("div", { class: "head" }, el("h1", {}, "Faults"), el("div", { class: "tools" }, removeAll)),
    whole,
    empty,
    form,
  );

  async function refresh() {
    const answer = await faults.list();
    const list = answer.faults ?? [];
    show(whole, list.length > 0);
    show(empty, list.length === 0);
    show(removeAll, list.length > 0);
    keyed(body, list, (fault) => fault.id, (fault) => faultRow(fault, app, root));
  }

  return { root, title: "Faults", refresh };
}

function faultRow(fault, app, root) {
  const hits = el("td", { class: "count" });
  const often = el("td", { class: "quiet" });
  const remove = button("Remove", () =>
    app.attempt(async () => {
      await faults.remove(fault.id);
      app.say("The fault was removed.");
      root.querySelector("h1").focus();
    }), { class: "small", "aria-label": `Remove the fault: ${what(fault.fault)}` });
  const node = el("tr", {}, el("th", { scope: "row" }, what(fault.fault)), el("td", {}, where(fault)), often, hits, el("td", { class: "end" }, remove));
  return {
    nodes: [node],
    update(now) {
      text(hits, number(now.hits));
      text(often, howOften(now));
    },
  };
}

/** A fault in words. */
function what(fault) {
  switch (fault.kind) {
    case "error":
      return fault.message ? `error ${fault.code}: ${fault.message}` : `error ${fault.code}`;
    case "throttle":
      return "throttled";
    case "delay":
      return `answered ${fault.seconds} s late`;
    case "close":
      return `connection closed ${fault.when} the call took effect`;
    case "empty_receive":
      return "receive finds nothing";
    case "duplicate":
      return "delivered twice";
    case "shuffle":
      return "delivered out of order";
    case "batch_partial":
      return fault.share === undefined ? "batch fails in part" : `${percent(fault.share)} of a batch's entries fail`;
    case "expire_handle":
      return "receipt handle expired";
    case "slow_body":
      return `body takes ${fault.seconds} s`;
    default:
      return fault.kind;
  }
}

function where(fault) {
  const parts = [fault.action ?? "every action"];
  if (fault.queue) parts.push(`on ${fault.queue}`);
  if (fault.group) parts.push(`in group ${fault.group}`);
  if (fault.message) parts.push(`at messages with ${JSON.stringify(fault.message)}`);
  if (fault.account) parts.push(`of ${fault.account}`);
  if (fault.region) parts.push(`in ${fault.region}`);
  return parts.join(" ");
}

function howOften(fault) {
  const share = fault.share === undefined || fault.share === null ? "" : `${percent(fault.share)} of calls`;
  if (fault.times === undefined || fault.times === null) return share || "every time";
  const left = fault.remaining === undefined ? `${counted(fault.times, "time")}` : `${number(fault.remaining)} of ${counted(fault.times, "time")} left`;
  return share === "" ? left : `${share}, ${left}`;
}

function percent(share) {
  return `${Number((share * 100).toFixed(2))} %`;
}

function addForm(app) {
  const kind = choice({ name: "kind" }, KINDS, "error");
  const code = choice({ name: "code" }, ERRORS.map((name) => [name, name]), "InternalFailure");
  const message = input("message");
  const delay = input("seconds", { inputmode: "decimal", value: "1" });
  const when = choice({ name: "when" }, [["before", "before the call took effect"], ["after", "after it took effect (the lost reply)"]], "after");
  const part = input("part", { inputmode: "decimal", value: "50" });
  const details = [
    [["error"], field("Error", code)],
    [["error"], field("Message", message, "Optional")],
    [["delay", "slow_body"], field("Seconds", delay)],
    [["close"], field("When", when)],
    [["batch_partial"], field("Entries that fail, percent", part)],
  ];
  const showDetails = () => {
    for (const [kinds, element] of details) show(element, kinds.includes(kind.value));
  };
  kind.addEventListener("change", showDetails);
  showDetails();
  const action = choice({ name: "action" }, [["", "every action"], ...ACTIONS.map((name) => [name, name])], "");
  const scope = { queue: input("queue"), group: input("group"), account: input("account"), region: input("region") };
  const times = input("times", { inputmode: "numeric", placeholder: "no limit" });
  const share = input("share", { inputmode: "decimal", placeholder: "100" });
  const failure = el("p", { class: "failure", role: "alert", hidden: true });

  const faultOf = () => {
    const fault = { kind: kind.value };
    if (kind.value === "error") {
      fault.code = code.value;
      if (message.value !== "") fault.message = message.value;
    } else if (kind.value === "delay" || kind.value === "slow_body") {
      fault.seconds = decimal(delay, "The seconds");
    } else if (kind.value === "close") {
      fault.when = when.value;
    } else if (kind.value === "batch_partial") {
      fault.share = decimal(part, "The percentage") / 100;
    }
    const whole = { fault };
    if (action.value !== "") whole.action = action.value;
    for (const [name, element] of Object.entries(scope)) {
      if (element.value.trim() !== "") whole[name] = element.value.trim();
    }
    if (times.value.trim() !== "") whole.times = decimal(times, "How often");
    if (share.value.trim() !== "") whole.share = decimal(share, "The percentage") / 100;
    return whole;
  };
  const submit = async (event) => {
    event.preventDefault();
    show(failure, false);
    try {
      await faults.add(faultOf());
      app.say("The fault was added.");
    } catch (error) {
      text(failure, error.message);
      show(failure, true);
    }
    app.refresh();
  };
  return el(
    "form",
    { class: "panel", onsubmit: submit, novalidate: true, "aria-labelledby": "add-fault" },
    el("h2", { id: "add-fault" }, "Add a fault"),
    el("div", { class: "columns" }, field("What happens", kind), ...details.map(([, element]) => element)),
    el("div", { class: "columns" }, field("To which calls", action), field("On queue", scope.queue), field("In message group", scope.group), field("Of account", scope.account), field("In region", scope.region)),
    el("div", { class: "columns" }, field("How many times at most", times), field("Share of the calls, percent", share)),
    failure,
    el("div", { class: "actions" }, el("button", { type: "submit", class: "primary" }, "Add fault")),
  );
}

function input(name, more = {}) {
  return el("input", { name, autocomplete: "off", spellcheck: "false", ...more });
}

function decimal(element, label) {
  const value = Number(element.value.trim());
  if (element.value.trim() === "" || !Number.isFinite(value)) throw new Error(`${label} must be a number.`);
  return value;
}
