// The page as a whole: which part is shown, when it is asked for anew, and what went wrong.

import { health } from "./api.js";
import * as clock from "./clock.js";
import { attribute, button, el, show, text } from "./dom.js";
import { faultsView } from "./faults.js";
import { counted } from "./format.js";
import { listen } from "./live.js";
import { queueView } from "./queue.js";
import { queuesView } from "./queues.js";
import { requestsView } from "./requests.js";
import { here } from "./trail.js";

const byId = (id) => document.getElementById(id);
const [main, notice, gone, said, about, totals] = ["main", "notice", "gone", "said", "about", "totals"].map(byId);

/** What the parts of the page use of the whole. */
const app = { attempt, say, refresh };

/** The part that is shown: `{ key, view, loop }`. */
let current = null;

/** Does something; when that is refused, says why. Returns whether it was done. */
async function attempt(deed) {
  try {
    await deed();
    show(notice, false);
    return true;
  } catch (error) {
    complain(error);
    return false;
  } finally {
    refresh();
  }
}

function complain(error) {
  if (error.isGone) return;
  notice.replaceChildren(el("p", { role: "alert" }, error.message), button("Dismiss", () => show(notice, false)));
  show(notice, true);
}

/** Tells whoever does not see the page what happened. */
function say(sentence) {
  text(said, "");
  // A sentence that is the same as the last one is to be heard again.
  setTimeout(() => text(said, sentence), 50);
}

/** Asks again for what is shown. */
function refresh() {
  head();
  return current?.loop();
}

/** A function that does a deed; while it is under way, however many further wishes are one more. */
function repeated(deed) {
  let running = null;
  let again = false;
  return () => {
    again = true;
    running ??= (async () => {
      while (again) {
        again = false;
        await deed();
      }
      running = null;
    })();
    return running;
  };
}

const head = repeated(async () => {
  try {
    const answer = await health();
    clock.set(answer.clock);
    text(totals, `${counted(answer.queues, "queue")}, ${counted(answer.messages, "message")}`);
    text(about, `fake-sqs ${answer.version} at ${location.host}`);
  } catch {
    // Whether the server is there is told where changes are listened for.
  }
});

function viewOf([part, account, region, name]) {
  if (part === "queues" && name !== undefined) return queueView({ account, region, name }, app);
  if (part === "requests") return requestsView(app);
  if (part === "faults") return faultsView(app);
  return queuesView(app);
}

function route() {
  const { path } = here();
  const key = path.join("/");
  if (current?.key === key) return refresh();
  const isFirst = current === null;
  // A question about a place that was left needs no answer.
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  const view = viewOf(path);
  const ask = async () => {
    try {
      await view.refresh(here().query);
    } catch (error) {
      if (current?.view === view) complain(error);
    }
  };
  current = { key, view, loop: repeated(ask) };
  show(notice, false);
  main.replaceChildren(view.root);
  document.title = view.title === "fake-sqs" ? view.title : `${view.title} – fake-sqs`;
  for (const link of document.querySelectorAll("nav [data-part]")) {
    const isHere = link.dataset.part === (path[0] ?? "queues");
    attribute(link, "aria-current", isHere ? "page" : null);
  }
  if (!isFirst) {
    // As after any other change of page: reading begins at its top.
    window.scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
  return refresh();
}

const LINK_WORDS = { live: "live", polling: "asking every 2 s", gone: "no answer" };

function linkState(state) {
  const isNews = byId("link").dataset.state !== state;
  byId("link").dataset.state = state;
  text(byId("link-text"), LINK_WORDS[state]);
  if (state === "gone" && isNews) {
    text(gone, `fake-sqs does not answer at ${location.host}. What you see may be out of date; it is tried again until it answers.`);
  }
  show(gone, state === "gone");
}

byId("skip").addEventListener("click", (event) => {
  // The address after `#` is a place of this page's own.
  event.preventDefault();
  main.focus();
});

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, dialog");
  if (event.key === "/" && typing === null && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const search = main.querySelector("input[type=search]");
    if (search !== null) {
      event.preventDefault();
      search.focus();
      search.select();
    }
  }
});

clock.mount(byId("clock"), app);
addEventListener("hashchange", route);
route();
listen({ changed: refresh, state: linkState });
