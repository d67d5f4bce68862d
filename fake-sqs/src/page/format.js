// Numbers, times and lengths of time as people read them.

const NUMBER = new Intl.NumberFormat("en-US");

export function number(value) {
  return NUMBER.format(value ?? 0);
}

/** "1 message", "2 messages". */
export function counted(count, one, many = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
];

/** Seconds as the two largest units that they fill: "11 h 59 min", "30 s", "0.25 s". */
export function duration(seconds) {
  if (seconds > 0 && seconds < 10 && !Number.isInteger(seconds)) {
    return `${Number(seconds.toFixed(seconds < 1 ? 3 : 1))} s`;
  }
  let rest = Math.round(seconds);
  const parts = [];
  for (const [unit, length] of UNITS) {
    const whole = Math.floor(rest / length);
    rest -= whole * length;
    if (whole > 0) parts.push(`${whole} ${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(" ") || "0 s";
}

const SECONDS = { d: 86_400, h: 3_600, min: 60, m: 60, s: 1, ms: 0.001 };

/** Reads "90", "30 s", "2h 30m", "1d"; `null` for anything else. */
export function seconds(written) {
  const text = written.trim().toLowerCase();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  if (!/^(\d+(\.\d+)?\s*(d|h|min|ms|m|s)\s*)+$/.test(text)) return null;
  let sum = 0;
  for (const [, value, , unit] of text.matchAll(/(\d+(\.\d+)?)\s*(d|h|min|ms|m|s)/g)) {
    sum += Number(value) * SECONDS[unit];
  }
  return Math.round(sum * 1000) / 1000;
}

const two = (value) => String(value).padStart(2, "0");

/** The time of day: "17:05:09". */
export function timeOfDay(millis) {
  const date = new Date(millis);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** The day: "30 Nov 2026". */
export function day(millis) {
  return new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" }).format(millis);
}

/** The day and the time of day. */
export function moment(millis) {
  return `${day(millis)}, ${timeOfDay(millis)}`;
}

/** The day without its year, and the time of day without its seconds. */
export function shortMoment(millis) {
  return `${day(millis).replace(/ \d+$/, "")}, ${timeOfDay(millis).slice(0, 5)}`;
}

/** The time in UTC, to the millisecond, where it must be exact. */
export function exact(millis) {
  const date = new Date(millis);
  return Number.isNaN(date.getTime()) ? String(millis) : date.toISOString();
}

/** Bytes of a text in UTF-8. */
export function bytes(count) {
  if (count < 1024) return counted(count, "byte");
  if (count < 1024 * 1024) return `${(count / 1024).toFixed(1)} KiB`;
  return `${(count / 1024 / 1024).toFixed(2)} MiB`;
}

/** The first characters of a text, on one line. */
export function preview(text, length = 240) {
  const line = text.slice(0, length).replace(/\s+/g, " ");
  return text.length > length ? `${line}…` : line;
}

/** Text that is JSON, laid out; any other as it is. */
export function laidOut(text) {
  const first = text.trimStart()[0];
  if ((first === "{" || first === "[") && text.length <= 262_144) {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // It only begins like JSON.
    }
  }
  return text;
}

/** A form, decoded and with a parameter a line; null for any other text. */
export function formLaidOut(text) {
  if (!/^[\w.%-]+=\S*$/.test(text)) return null;
  const line = (pair) => {
    const [name, ...value] = pair.split("=");
    try {
      return `${decodeURIComponent(name)} = ${decodeURIComponent(value.join("=").replaceAll("+", " "))}`;
    } catch {
      // The cut of what is too long to keep may go through an escape.
      return pair;
    }
  };
  return text.split("&").filter(Boolean).map(line).join("\n");
}
