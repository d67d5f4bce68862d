// Where the page is: the part of its address after `#`, so that reload, back and links work.

/** `#/queues?prefix=a` as `{ path: ["queues"], query: { prefix: "a" } }`. */
export function here() {
  const text = location.hash.startsWith("#/") ? location.hash.slice(2) : "queues";
  const [path, query = ""] = text.split("?", 2);
  return {
    path: path.split("/").filter((part) => part !== "").map(decoded),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a place. Parameters that are empty are left out. */
export function address(path, query = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") parameters.set(name, value);
  }
  const text = parameters.toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}

/** Goes to a place, which `back` leaves again. */
export function go(path, query) {
  location.hash = address(path, query);
}

/** Changes a detail of the present place, without a step for `back`. */
export function note(changes) {
  const { path, query } = here();
  history.replaceState(null, "", address(path, { ...query, ...changes }));
}
