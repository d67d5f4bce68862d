// A fake-sqs process for a test file, its control interface, and SQS calls to it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** The loopback address of these servers alone, so that no other program gets a port that is to be taken again. Only Linux has more than one. */
const ADDRESS = process.platform === "linux" ? "127.0.77.1" : "127.0.0.1";
const START_LINE = /^fake-sqs listening on (http:\/\/127\.[\d.]+:\d+)$/;

/** How long anything may take that takes no time: it ends a test that would go on for ever, and says nothing of speed. */
export const BOUND_MS = 120_000;

/** A queue's place when nothing else is said. */
export const PLACE = "000000000000/us-east-1";

/** A running server. `port` is for one that comes back where another was. */
export class Server {
  static async start({ port = 0 } = {}) {
    const binary = process.env.FAKE_SQS_BIN;
    assert(binary, "FAKE_SQS_BIN must name the fake-sqs binary; tests/browser/run sets it");
    const ours = Object.entries(process.env).filter(([name]) => !name.startsWith("FAKE_SQS_"));
    const child = spawn(binary, ["--listen", `${ADDRESS}:${port}`, "--log", "warn"], {
      env: Object.fromEntries(ours),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = once(child, "close");
    const log = [];
    child.stderr.setEncoding("utf8").on("data", (text) => log.push(text)).pipe(process.stderr, { end: false });
    const lines = createInterface({ input: child.stdout });
    const [line] = await once(lines, "line", { signal: AbortSignal.timeout(BOUND_MS) });
    const [, endpoint] = START_LINE.exec(line) ?? assert.fail(`the start-up line is ${line}`);
    return new Server(child, ended, log, endpoint);
  }

  constructor(child, ended, log, endpoint) {
    this.child = child;
    this.ended = ended;
    this.log = log;
    this.endpoint = endpoint;
  }

  get port() {
    return Number(new URL(this.endpoint).port);
  }

  /** Ends it. A page that still listens must not hold it up: the server would say so. */
  async stop() {
    this.child.kill("SIGTERM");
    const timer = setTimeout(() => this.child.kill("SIGKILL"), BOUND_MS);
    const [status] = await this.ended;
    clearTimeout(timer);
    const log = this.log.join("");
    assert.equal(status, 0, `SIGTERM ends the server with status 0; its log:\n${log}`);
    assert.doesNotMatch(log, /still busy/);
  }

  /** Asks the control interface. */
  async control(method, path, body) {
    const response = await fetch(`${this.endpoint}/_fake/${path}`, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const answer = await response.json();
    assert(response.ok, `${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }

  createQueue(name, attributes = {}) {
    return this.control("POST", "queues", { name, attributes });
  }

  /** Sends a message over the control interface. */
  send(name, message) {
    return this.control("POST", `queues/${PLACE}/${name}/messages`, message);
  }

  messages(name, query = "") {
    return this.control("GET", `queues/${PLACE}/${name}/messages${query}`);
  }

  queue(name) {
    return this.control("GET", `queues/${PLACE}/${name}`);
  }

  /** Calls SQS as a client does, signed. Returns the status and what the body says. */
  async call(action, input, signing = {}) {
    const body = JSON.stringify(input);
    const type = "application/x-amz-json-1.0";
    const { status, text } = await this.#post({ "content-type": type, "x-amz-target": `AmazonSQS.${action}` }, body, signing);
    return { status, body: text === "" ? {} : JSON.parse(text) };
  }

  /** Calls SQS in its older Query protocol, signed. Returns the status and the XML. */
  form(parameters) {
    return this.#post({ "content-type": "application/x-www-form-urlencoded" }, new URLSearchParams(parameters).toString(), {});
  }

  async #post(headers, body, signing) {
    const all = signed(new URL(this.endpoint).host, headers, body, signing);
    const response = await fetch(`${this.endpoint}/`, { method: "POST", headers: all, body });
    return { status: response.status, text: await response.text() };
  }

  async receive(name, more = {}) {
    const QueueUrl = `${this.endpoint}/000000000000/${name}`;
    const { status, body } = await this.call("ReceiveMessage", { QueueUrl, ...more });
    assert.equal(status, 200, JSON.stringify(body));
    return body.Messages ?? [];
  }
}

const sha256 = (data) => createHash("sha256").update(data).digest("hex");
const hmac = (key, data) => createHmac("sha256", key).update(data).digest();

/**
 * The headers of a signed call: Signature Version 4 as far as these tests need it. `signedBody`
 * stands for the body in the signature, for a client whose body is changed on its way.
 */
function signed(host, headers, body, { key = "test", secret = "test", region = "us-east-1", signedBody = body }) {
  const time = new Date().toISOString().replace(/[-:]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const sent = { ...headers, "x-amz-date": time };
  const lines = Object.entries({ ...sent, host }).sort(([one], [other]) => (one < other ? -1 : 1));
  const names = lines.map(([name]) => name).join(";");
  const canonical = ["POST", "/", "", ...lines.map(([name, value]) => `${name}:${value}`), "", names, sha256(signedBody)].join("\n");
  const scope = `${day}/${region}/sqs/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const signingKey = [day, region, "sqs", "aws4_request"].reduce(hmac, `AWS4${secret}`);
  const signature = createHmac("sha256", signingKey).update(toSign).digest("hex");
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${key}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}
