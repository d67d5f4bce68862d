// Sending a message.

import { messages } from "./api.js";
import { form } from "./dialog.js";
import { button, choice, el, field } from "./dom.js";

const TYPES = [
  ["String", "String"],
  ["Number", "Number"],
  ["Binary", "Binary (base64)"],
];

/** Asks for a message and sends it. */
export async function send(place, app) {
  const isFifo = place.name.endsWith(".fifo");
  const body = el("textarea", { name: "body", rows: 8, spellcheck: "false", autofocus: true });
  const group = input("group");
  const dedup = input("dedup");
  const delay = input("delay", { inputmode: "numeric", placeholder: "the queue's own" });
  const attributes = attributeRows();
  const submit = () => messages.send(place, messageOf({ body, group, dedup, delay, attributes }));
  const isDone = await form({
    title: `Send to ${place.name}`,
    action: "Send message",
    wide: true,
    submit,
    content: [
      field("Body", body),
      el(
        "div",
        { class: "columns" },
        field("Message group", group, isFifo ? "Messages of one group are given in their order." : "Optional: for fair queues."),
        isFifo ? field("Deduplication id", dedup, "Not needed if the queue deduplicates by content.") : field("Delay, seconds", delay, "0 to 900"),
      ),
      attributes.root,
    ],
  });
  if (isDone) app.say("The message was sent.");
  app.refresh();
}

function input(name, more = {}) {
  return el("input", { name, autocomplete: "off", spellcheck: "false", ...more });
}

function messageOf({ body, group, dedup, delay, attributes }) {
  const message = { body: body.value };
  if (group.value !== "") message.group = group.value;
  if (dedup.value !== "") message.deduplication_id = dedup.value;
  if (delay.value.trim() !== "") {
    if (!/^\d+$/.test(delay.value.trim())) throw new Error("The delay must be a whole number of seconds.");
    message.delay_seconds = Number(delay.value.trim());
  }
  const given = attributes.value();
  if (Object.keys(given).length > 0) message.message_attributes = given;
  return message;
}

/** Any number of attributes, each with its name, type and value. */
function attributeRows() {
  const rows = el("div", { class: "attribute-rows" });
  const add = () => {
    const name = input("attribute-name", { "aria-label": "Attribute's name", placeholder: "Name" });
    const type = choice({ "aria-label": "Attribute's type" }, TYPES, "String");
    const value = input("attribute-value", { "aria-label": "Attribute's value", placeholder: "Value" });
    const remove = button("Remove", () => {
      row.remove();
      more.focus();
    }, { class: "small", "aria-label": "Remove this attribute" });
    const row = el("div", { class: "attribute-row" }, name, type, value, remove);
    rows.append(row);
    name.focus();
  };
  const more = button("Add an attribute", add, { class: "small", id: "add-attribute" });
  return {
    root: el("fieldset", {}, el("legend", {}, "Attributes"), rows, more),
    value() {
      const attributes = {};
      for (const row of rows.children) {
        const [name, type, value] = row.querySelectorAll("input, select");
        const key = type.value === "Binary" ? "BinaryValue" : "StringValue";
        attributes[name.value] = { DataType: type.value, [key]: value.value };
      }
      return attributes;
    },
  };
}
