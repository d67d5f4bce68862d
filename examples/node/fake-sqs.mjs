// A fake-sqs server for Node's test runner, or any other. Copy this file into your tests.
//
//     const server = await startFakeSqs();
//     after(() => server.stop());
//     const sqs = new SQSClient(server.config);
//
// The binary is found on the PATH, or by FAKE_SQS_BIN.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const FIRST_LINE = /^fake-sqs listening on (http:\/\/\S+)$/;

/** Starts a server on a free port, and waits until it accepts. */
export async function startFakeSqs(...args) {
  const binary = process.env.FAKE_SQS_BIN ?? "fake-sqs";
  const child = spawn(binary, ["--listen", "127.0.0.1:0", "--log", "warn", "--relaxed", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([
    once(lines, "line"),
    ended.then(([status]) => Promise.reject(new Error(`fake-sqs ended with status ${status}`))),
  ]);
  const endpoint = FIRST_LINE.exec(line)?.[1];
  if (!endpoint) {
    child.kill();
    throw new Error(`fake-sqs did not start: ${line}`);
  }
  const post = async (path, body = {}) => {
    const answer = await fetch(endpoint + path, { method: "POST", body: JSON.stringify(body) });
    if (!answer.ok) throw new Error((await answer.json()).error);
    return answer.json();
  };
  return {
    endpoint,
    /** For `new SQSClient(...)`. */
    config: {
      endpoint,
      region: "us-east-1",
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
    },
    /** Forgets everything: for a hook before each test. */
    reset: () => post("/_fake/reset"),
    /** Moves the queues' time forward, so that nothing needs to sleep. */
    advance: (seconds) => post("/_fake/clock/advance", { seconds }),
    /** Stops the server, and waits for its end. */
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
