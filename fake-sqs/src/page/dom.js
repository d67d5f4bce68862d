// Making and keeping elements. Whatever comes from the server becomes text, never markup.

/**
 * Makes an element. `attributes` are set as attributes, but for functions, which are listeners
 * (`onclick: f`), and `true` and `false`, which set or leave out. Children are elements or text.
 */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(key.slice(2), value);
    } else if (value === true) {
      element.setAttribute(key, "");
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(key, String(value));
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A button that does something, and cannot be pressed again until that is done. */
export function button(label, act, attributes = {}) {
  const press = async () => {
    if (pressed.getAttribute("aria-disabled") === "true") return;
    // `disabled` would take the focus away.
    pressed.setAttribute("aria-disabled", "true");
    try {
      await act();
    } finally {
      pressed.removeAttribute("aria-disabled");
    }
  };
  const pressed = el("button", { type: "button", onclick: press, ...attributes }, label);
  return pressed;
}

/** Text for screen readers alone. */
export function unseen(text) {
  return el("span", { class: "unseen" }, text);
}

/** Sets an element's text. One that is right already is left alone, with what is selected in it. */
export function text(element, value) {
  const wanted = String(value ?? "");
  if (element.textContent !== wanted) element.textContent = wanted;
}

/** Shows or hides an element. */
export function show(element, visible) {
  if (element.hidden === visible) element.hidden = !visible;
}

/** Sets an attribute, or takes it away for `null`. */
export function attribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

const rowsOf = new WeakMap();

/**
 * Makes the children of `parent` those of `items`, in their order. A row is `{ nodes, update }`,
 * made once for each key and kept as long as an item has that key: so what a person has focused,
 * opened or selected stays while the data under it changes.
 */
export function keyed(parent, items, keyOf, make) {
  const old = rowsOf.get(parent) ?? new Map();
  const rows = new Map();
  for (const item of items) {
    const key = keyOf(item);
    rows.set(key, old.get(key) ?? make(item));
  }
  for (const [key, row] of old) {
    if (!rows.has(key)) for (const node of row.nodes) node.remove();
  }
  let place = parent.firstChild;
  for (const item of items) {
    const row = rows.get(keyOf(item));
    for (const node of row.nodes) {
      if (node === place) place = place.nextSibling;
      else parent.insertBefore(node, place);
    }
    row.update?.(item);
  }
  rowsOf.set(parent, rows);
}

/** A row of `keyed` that never changes. */
export function still(node) {
  return { nodes: [node] };
}

let fields = 0;

/** A labelled field of a form, perhaps with a hint. */
export function field(label, input, hint) {
  fields += 1;
  const id = `field-${fields}`;
  input.id ||= id;
  if (hint) input.setAttribute("aria-describedby", `${id}-hint`);
  return el("div", { class: "field" }, el("label", { for: input.id }, label), input, hint ? el("small", { id: `${id}-hint` }, hint) : null);
}

/** A choice among `[value, label]`. */
export function choice(attributes, options, chosen) {
  const select = el("select", attributes);
  for (const [value, label] of options) {
    select.append(el("option", { value, selected: value === chosen }, label));
  }
  return select;
}

/** A table with a caption for screen readers. `columns` are `[label, class]`. */
export function table(caption, columns, attributes = {}) {
  const head = columns.map(([label, kind]) => el("th", { scope: "col", class: kind }, label));
  const body = el("tbody");
  const whole = el("table", attributes, el("caption", { class: "unseen" }, caption), el("thead", {}, el("tr", {}, ...head)), body);
  return { whole, body };
}

/** A list of names and values. */
export function facts(pairs) {
  const list = el("dl", { class: "facts" });
  for (const [name, value] of pairs) {
    if (value === null || value === undefined || value === "") continue;
    const isLong = String(value).length > 48;
    list.append(el("div", { class: isLong ? "long" : null }, el("dt", {}, name), el("dd", {}, value)));
  }
  return list;
}
