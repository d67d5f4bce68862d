// Going through a long list, a page at a time.

import { attribute, el, show, text } from "./dom.js";
import { number } from "./format.js";
import { address } from "./trail.js";

/**
 * The pages before those that were come to by "Next", by their address. A list knows only where it
 * goes on; after a reload the first page and the browser's own Back remain.
 */
const before = new Map();

/** Links to the neighbouring pages; the place in the list is part of the page's address. */
export function pager() {
  const first = el("a", {}, "First");
  const previous = el("a", {}, "Previous");
  const next = el("a", {}, "Next");
  const words = el("span", { class: "quiet" });
  const root = el("nav", { class: "pager", "aria-label": "Pages", hidden: true }, words, first, previous, next);

  /** `next` is where the list goes on, if it does; `shown` how many are on this page. */
  function showPage({ path, query, next: after, shown }) {
    const page = Number(query.page ?? 1);
    const isFirst = query.after === undefined;
    const mine = address(path, query);
    const onward = address(path, { ...query, open: "", after, page: page + 1 });
    if (after !== null && after !== undefined) before.set(onward, mine);
    show(root, !isFirst || Boolean(after));
    link(first, isFirst ? null : address(path, { ...query, open: "", after: "", page: "" }));
    link(previous, isFirst ? null : before.get(address(path, { ...query, open: "" })));
    link(next, after ? onward : null);
    text(words, `Page ${number(page)}, ${number(shown)} here`);
  }

  return { root, show: showPage };
}

/** A link that leads nowhere is there no more. */
function link(element, target) {
  show(element, Boolean(target));
  attribute(element, "href", target ?? null);
}
