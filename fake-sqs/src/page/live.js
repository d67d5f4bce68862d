// Hearing of changes: server-sent events, and what to do when they stop.

import { health } from "./api.js";

/** How long after a lost connection the next one is tried, in milliseconds. */
const RETRY_MS = 1_500;

/** How often is asked anew when the server has no place for another listener. */
const POLL_MS = 2_000;

/**
 * Calls `changed` when something may have changed, and `state` with "live", "polling" or "gone"
 * when the connection changes. A page in the background listens to nothing: a browser has few
 * connections for one server, and pages that nobody sees would take them all.
 */
export function listen({ changed, state }) {
  let source = null;
  let timer = 0;

  const tell = (next) => {
    state(next);
    if (next !== "gone") changed();
  };
  const later = (millis) => {
    clearTimeout(timer);
    timer = setTimeout(connect, millis);
  };
  const lost = async () => {
    source?.close();
    source = null;
    try {
      await health();
    } catch {
      tell("gone");
      return later(RETRY_MS);
    }
    // It is there, but does not let this page listen.
    tell("polling");
    return later(POLL_MS);
  };
  const connect = () => {
    if (source !== null || document.hidden) return;
    source = new EventSource("/_fake/events");
    const mine = source;
    mine.onopen = () => state("live");
    mine.onmessage = () => changed();
    mine.onerror = () => {
      if (source === mine) lost();
    };
  };

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      clearTimeout(timer);
      source?.close();
      source = null;
    } else {
      connect();
    }
  });
  connect();
}
