// The queues' clock: what it shows, how it is moved, and what counts down by it.

import { clock } from "./api.js";
import { attribute, button, el, show, text } from "./dom.js";
import { day, duration, exact, seconds, timeOfDay } from "./format.js";

/** What the clock showed, and the browser's own time when it did. */
let read = null;

/** The queues' time at present, in milliseconds; `null` before it is known. */
export function queueNow() {
  if (read === null) return null;
  return read.mode === "running" ? read.now + (performance.now() - read.at) : read.now;
}

/** Takes over what an answer of the server says of the clock. */
export function set(answer) {
  read = { ...answer, at: performance.now() };
  tick();
}

const countdowns = new Set();

/**
 * An element that says how long it is until a moment of the queues' clock, and goes on saying it as
 * long as it is in the page: it is put there at once, and does not come back. `words` makes text of
 * the seconds that are left.
 */
export function countdown(words) {
  const element = el("time");
  const entry = { element, words, at: null };
  countdowns.add(entry);
  return {
    element,
    until(millis) {
      entry.at = millis;
      if (millis === null) text(element, "");
      attribute(element, "title", millis === null ? null : exact(millis));
      showCountdown(entry);
    },
  };
}

function showCountdown({ element, words, at }) {
  const now = queueNow();
  // What stands in place of a time stays.
  if (at !== null && now !== null) text(element, words(Math.ceil((at - now) / 1000)));
}

const shown = {};

function tick() {
  for (const entry of countdowns) {
    // A part of the page that is gone needs no time.
    if (entry.element.isConnected) showCountdown(entry);
    else countdowns.delete(entry);
  }
  const now = queueNow();
  if (now === null || shown.time === undefined) return;
  text(shown.time, timeOfDay(now));
  attribute(shown.time, "title", exact(now));
  text(shown.day, day(now));
  const isFrozen = read.mode === "frozen";
  text(shown.mode, isFrozen ? "frozen" : "running");
  attribute(shown.mode, "data-mode", read.mode);
  text(shown.toggle, isFrozen ? "Resume" : "Freeze");
  const offset = read.offset_seconds;
  show(shown.offset, Math.abs(offset) >= 1);
  text(shown.offset, `${duration(Math.abs(offset))} ${offset < 0 ? "behind" : "ahead"}`);
}

const STEPS = [
  [1, "1 s", "1 second"],
  [30, "30 s", "30 seconds"],
  [300, "5 min", "5 minutes"],
  [43_200, "12 h", "12 hours"],
];

/** Puts the clock and its buttons into `root`. `attempt` does something and shows why it failed. */
export function mount(root, { attempt, say }) {
  const move = (by) =>
    attempt(async () => {
      set(await clock.advance(by));
      say(`The queues' clock was moved forward by ${duration(by)}.`);
    });
  const toggle = () =>
    attempt(async () => {
      const isFrozen = read?.mode === "frozen";
      set(await (isFrozen ? clock.resume() : clock.freeze()));
      say(isFrozen ? "The queues' clock runs." : "The queues' clock stands still.");
    });
  shown.time = el("time", { class: "now" });
  shown.day = el("span", { class: "day" });
  shown.mode = el("span", { class: "mode" });
  shown.offset = el("span", { class: "offset", hidden: true });
  shown.toggle = button("Freeze", toggle, { id: "clock-toggle" });
  const steps = STEPS.map(([by, label, words]) =>
    button(`+${label}`, () => move(by), { "aria-label": `Advance by ${words}`, "data-advance": by }),
  );
  const custom = el("input", {
    type: "text",
    size: 7,
    placeholder: "2h 30m",
    "aria-label": "Advance by, such as 90, 30 s or 2h 30m",
    autocomplete: "off",
    spellcheck: "false",
    id: "clock-custom",
    oninput: () => custom.removeAttribute("aria-invalid"),
  });
  const advance = async (event) => {
    event.preventDefault();
    const by = seconds(custom.value);
    if (by === null) {
      custom.setAttribute("aria-invalid", "true");
      await attempt(() => {
        throw new Error("How far to advance is written like 90 (seconds), 30 s, 2h 30m or 14d.");
      });
      custom.focus();
    } else if (await move(by)) {
      custom.value = "";
    }
  };
  root.append(
    el("p", { class: "face" }, el("span", { class: "label" }, "Queue time"), shown.time, shown.day, shown.mode, shown.offset),
    el(
      "div",
      { class: "moves" },
      shown.toggle,
      el("span", { class: "joined", role: "group", "aria-label": "Advance" }, ...steps),
      el("form", { class: "custom", onsubmit: advance }, custom, el("button", { type: "submit" }, "Advance")),
    ),
  );
  setInterval(tick, 250);
}
