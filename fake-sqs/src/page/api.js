// The control interface, as the page asks it.

/** The server said why it does not do something, or did not answer at all. */
export class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }

  /** Whether there was no answer at all. */
  get isGone() {
    return this.status === 0;
  }
}

async function ask(method, path, body) {
  const request = { method, cache: "no-store", credentials: "omit", headers: {} };
  if (body !== undefined) {
    request.body = JSON.stringify(body);
    request.headers["content-type"] = "application/json";
  }
  let response;
  let answered;
  try {
    response = await fetch(path, request);
    answered = await response.text();
  } catch {
    throw new Refused("fake-sqs does not answer. Is it still running?", 0);
  }
  let parsed = {};
  try {
    if (answered !== "") parsed = JSON.parse(answered);
  } catch {
    throw new Refused(`The answer to ${method} ${path} is not JSON (status ${response.status}).`, response.status);
  }
  if (!response.ok) {
    const why = typeof parsed.error === "string" ? parsed.error : `status ${response.status}`;
    throw new Refused(sentence(why), response.status);
  }
  return parsed;
}

function sentence(words) {
  const begun = words.slice(0, 1).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

/** A path with its parameters; those without a value are left out. */
function target(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null && value !== "") query.set(name, value);
  }
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}

const get = (path, parameters) => ask("GET", target(path, parameters));
const post = (path, body = {}) => ask("POST", path, body);
const remove = (path) => ask("DELETE", path);

/** The path of a queue in the interface. */
function pathOf({ account, region, name }) {
  return `/_fake/queues/${[account, region, name].map(encodeURIComponent).join("/")}`;
}

export const health = () => get("/_fake/health");

export const clock = {
  show: () => get("/_fake/clock"),
  freeze: () => post("/_fake/clock/freeze"),
  resume: () => post("/_fake/clock/resume"),
  advance: (seconds) => post("/_fake/clock/advance", { seconds }),
};

export const queues = {
  list: (parameters) => get("/_fake/queues", parameters),
  create: (queue) => post("/_fake/queues", queue),
  show: (queue) => get(pathOf(queue)),
  remove: (queue) => remove(pathOf(queue)),
  purge: (queue) => post(`${pathOf(queue)}/purge`),
  redrive: (queue) => post(`${pathOf(queue)}/redrive`),
};

export const messages = {
  list: (queue, parameters) => get(`${pathOf(queue)}/messages`, parameters),
  send: (queue, message) => post(`${pathOf(queue)}/messages`, message),
  receive: (queue, how) => post(`${pathOf(queue)}/messages/receive`, how),
  remove: (queue, id) => remove(`${pathOf(queue)}/messages/${encodeURIComponent(id)}`),
  release: (queue, id) => post(`${pathOf(queue)}/messages/${encodeURIComponent(id)}/release`),
};

export const faults = {
  list: () => get("/_fake/faults"),
  add: (fault) => post("/_fake/faults", fault),
  remove: (id) => remove(`/_fake/faults/${encodeURIComponent(id)}`),
  removeAll: () => remove("/_fake/faults"),
};

export const requests = {
  list: (parameters) => get("/_fake/requests", parameters),
};
