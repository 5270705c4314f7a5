// Checks a workspace document that comes from outside: a file, an address or the server.

/** @typedef {Readonly<Record<string, unknown>>} Settings */
/** A panel; x, y, w and h are columns and rows of the grid of its section.
 * @typedef {{kind: string, x: number, y: number, w: number, h: number, settings: Settings}} Panel */
/** @typedef {{name: string, collapsed: boolean, panels: readonly Panel[], settings: Settings}} Section */
/** @typedef {{version: 1, sections: readonly Section[], settings: Settings}} WorkspaceDocument */

export const PANEL_KINDS = [
  "lines",
  "bars",
  "scatter",
  "parallel",
  "number",
  "histograms",
  "pr_curves",
  "images",
  "audio",
  "text",
  "meshes",
  "tensors",
  "embeddings",
  "landscape",
  "graph",
  "runs",
  "importance",
  "console",
  "alerts",
  "markdown",
];
/** Columns of the grid. */
export const COLUMNS = 12;
const MAX_ROWS = 100_000;
const TALLEST = 100;
const MAX_SECTIONS = 200;
const MAX_PANELS = 1000;

/** An invalid document. The message begins with the path of the invalid value. */
export class DocumentError extends Error {
  /** @param {string} path @param {string} expected @param {unknown} value */
  constructor(path, expected, value) {
    super(`${path || "document"}: expected ${expected}, got ${shown(value)}`);
    this.path = path;
  }
}

/** @param {unknown} value */
function shown(value) {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Returns the document with only the known fields; throws a DocumentError.
 * @param {unknown} value @returns {WorkspaceDocument} */
export function checkDocument(value) {
  const { version, sections, settings } = object(value, "");
  if (version !== 1) throw new DocumentError("version", "1", version);
  return {
    version,
    sections: list(sections, "sections", MAX_SECTIONS).map((each, at) => section(each, `sections[${at}]`)),
    settings: object(settings, "settings"),
  };
}

/** @param {unknown} value @param {string} path @returns {Section} */
function section(value, path) {
  const { name, collapsed, panels, settings } = object(value, path);
  if (typeof name !== "string") throw new DocumentError(`${path}.name`, "text", name);
  if (typeof collapsed !== "boolean") throw new DocumentError(`${path}.collapsed`, "true or false", collapsed);
  return {
    name,
    collapsed,
    panels: list(panels, `${path}.panels`, MAX_PANELS).map((each, at) => panel(each, `${path}.panels[${at}]`)),
    settings: object(settings, `${path}.settings`),
  };
}

/** @param {unknown} value @param {string} path @returns {Panel} */
function panel(value, path) {
  const { kind, x, y, w, h, settings } = object(value, path);
  if (typeof kind !== "string" || !PANEL_KINDS.includes(kind))
    throw new DocumentError(`${path}.kind`, `one of ${PANEL_KINDS.join(", ")}`, kind);
  const left = whole(x, `${path}.x`, 0, COLUMNS - 1);
  return {
    kind,
    x: left,
    y: whole(y, `${path}.y`, 0, MAX_ROWS),
    w: whole(w, `${path}.w`, 1, COLUMNS - left),
    h: whole(h, `${path}.h`, 1, TALLEST),
    settings: object(settings, `${path}.settings`),
  };
}

/** @param {unknown} value @param {string} path @returns {Record<string, unknown>} */
function object(value, path) {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new DocumentError(path, "an object", value);
  return /** @type {Record<string, unknown>} */ (value);
}

/** @param {unknown} value @param {string} path @param {number} most @returns {unknown[]} */
function list(value, path, most) {
  if (!Array.isArray(value)) throw new DocumentError(path, "a list", value);
  if (value.length > most) throw new DocumentError(path, `at most ${most} elements`, value.length);
  return value;
}

/** @param {unknown} value @param {string} path @param {number} least @param {number} most */
function whole(value, path, least, most) {
  if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most)
    throw new DocumentError(path, `a whole number from ${least} to ${most}`, value);
  return value;
}
