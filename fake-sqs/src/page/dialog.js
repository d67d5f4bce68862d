// Dialogs: the browser's own, so focus stays inside, Escape closes, and focus goes back after.

import { button, el } from "./dom.js";

/**
 * Opens a form. `submit` does the deed; when it is refused the form stays, with the reason in it.
 * Returns a promise of whether it was done.
 */
export function form({ title, content, action, submit, danger = false, wide = false }) {
  return new Promise((resolve) => {
    const id = `dialog-${Math.random().toString(36).slice(2)}`;
    const failure = el("p", { class: "failure", role: "alert", hidden: true });
    const go = el("button", { type: "submit", class: danger ? "danger" : "primary" }, action);
    const fields = el(
      "form",
      { method: "dialog", novalidate: true },
      el("h2", { id }, title),
      ...content,
      failure,
      el("div", { class: "actions" }, button("Cancel", () => dialog.close()), go),
    );
    const dialog = el("dialog", { "aria-labelledby": id, class: wide ? "wide" : null }, fields);
    let done = false;
    fields.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (go.getAttribute("aria-disabled") === "true") return;
      go.setAttribute("aria-disabled", "true");
      failure.hidden = true;
      try {
        await submit();
        done = true;
        dialog.close();
      } catch (error) {
        failure.textContent = error.message;
        failure.hidden = false;
      } finally {
        go.removeAttribute("aria-disabled");
      }
    });
    // Ctrl+Enter sends from a text of many lines, where Enter alone is a line.
    fields.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        fields.requestSubmit(go);
      }
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(done);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Asks before something that cannot be undone. */
export function confirm({ title, sentence, action, act }) {
  return form({ title, content: [el("p", {}, sentence)], action, submit: act, danger: true });
}
