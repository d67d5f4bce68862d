// A fake-sqs process for a test file, whatever the version of the SDK that calls it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after } from "node:test";

/** The account that owns the queues, and one that must be let in. */
export const OWNER = { account: "000000000000", key: "test", secret: "test" };
export const OTHER = { account: "111122223333", key: "other", secret: "other" };

const START_LINE = /^fake-sqs listening on (http:\/\/127\.0\.0\.1:\d+)$/;

/** How long anything may take that takes no time: it ends a test that would go on for ever, and says nothing of speed. */
export const BOUND_MS = 300_000;

/**
 * Starts a server with both accounts on a free port, stops it when the file's tests are over, and
 * returns its endpoint.
 */
export async function startServer() {
  const binary = process.env.FAKE_SQS_BIN;
  assert(binary, "FAKE_SQS_BIN must name the fake-sqs binary; the run script sets it");
  const credential = ({ key, secret, account }) => ["--credential", `${key}:${secret}:${account}`];
  const server = spawn(
    binary,
    ["--listen", "127.0.0.1:0", "--log", "error", ...credential(OWNER), ...credential(OTHER)],
    { env: withoutOurSettings(process.env), stdio: ["ignore", "pipe", "inherit"] },
  );
  const ended = once(server, "exit");
  const lines = createInterface({ input: server.stdout });
  const [line] = await once(lines, "line", { signal: AbortSignal.timeout(BOUND_MS) });
  const [, endpoint] = START_LINE.exec(line) ?? assert.fail(`the start-up line is ${line}`);

  after(async () => {
    server.kill("SIGTERM");
    const timer = setTimeout(() => server.kill("SIGKILL"), BOUND_MS);
    const [status] = await ended;
    clearTimeout(timer);
    assert.equal(status, 0, "SIGTERM ends the server with status 0");
  });
  return endpoint;
}

/**
 * Calls `deed` while the queues' time stands: nothing is due before `deed` says so with the `advance` that it gets, which
 * takes seconds, however slow the machine is.
 */
export async function frozen(endpoint, deed) {
  const post = async (what, body) => {
    const answer = await fetch(`${endpoint}/_fake/clock/${what}`, { method: "POST", body });
    assert.equal(answer.status, 200, await answer.text());
  };
  await post("freeze");
  try {
    await deed((seconds) => post("advance", JSON.stringify({ seconds })));
  } finally {
    await post("resume");
  }
}

function withoutOurSettings(environment) {
  const others = Object.entries(environment).filter(([name]) => !name.startsWith("FAKE_SQS_"));
  return Object.fromEntries(others);
}
