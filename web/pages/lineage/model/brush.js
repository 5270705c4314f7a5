// Brushes: for each brushed column a range of numbers or a set of picked values. A run is kept if every brush keeps it.

import { parseList, parsePairs, printList, printPairs } from "../../../data/view/address_lists.js";

/** @typedef {import("../../../controls/run_plots/columns.js").Column} Column */
/** @typedef {import("../../../controls/run_plots/columns.js").Value} Value */

/** Ranges include both ends; picks are created by `pickOf`.
 * @typedef {{lo: number, hi: number, picks?: undefined} | {picks: ReadonlySet<string>}} Brush */

/** Picks the runs without a value. */
export const PICK_MISSING = "-";
/** Picks NaN and the infinities. */
export const PICK_NON_FINITE = "!";
/** @param {string} text */
export const pickOf = (text) => `=${text}`;

/** "lo..hi", where an omitted end is open; or "=" followed by a list of picks. @param {Brush} brush */
function printBrush(brush) {
  if (brush.picks) return `=${printList([...brush.picks])}`;
  const end = (/** @type {number} */ value) => (Number.isFinite(value) ? String(value) : "");
  return `${end(brush.lo)}..${end(brush.hi)}`;
}

/** @param {string} text @returns {Brush | null} */
function parseBrush(text) {
  if (text.startsWith("=")) {
    const picks = new Set(parseList(text.slice(1)).filter(Boolean));
    return picks.size ? { picks } : null;
  }
  const [, from, to] = /^(.*?)\.\.(.*)$/s.exec(text) ?? [];
  if (from === undefined || (!from && !to)) return null;
  const lo = from ? Number(from) : -Infinity;
  const hi = to ? Number(to) : Infinity;
  return lo <= hi ? { lo, hi } : null;
}

/** @param {ReadonlyMap<string, Brush>} brushes by column */
export const printBrushes = (brushes) => printPairs([...brushes].map(([id, brush]) => [id, printBrush(brush)]));

/** Parses any text; ignores invalid parts. @param {string} text @returns {Map<string, Brush>} */
export function parseBrushes(text) {
  const brushes = new Map();
  for (const [id, part] of parsePairs(text)) {
    const brush = parseBrush(part);
    if (brush) brushes.set(id, brush);
  }
  return brushes;
}

/** Returns 1 for each run that every brush keeps. Brushes of unknown columns keep all runs.
 * @param {ReadonlyMap<string, Column>} columns @param {ReadonlyMap<string, Brush>} brushes
 * @param {number} count of runs */
export function keptBy(columns, brushes, count) {
  const kept = new Uint8Array(count).fill(1);
  for (const [id, brush] of brushes) {
    const column = columns.get(id);
    if (!column || (!brush.picks && !column.isNumber)) continue;
    const { values } = column;
    for (let row = 0; row < count; row++) if (kept[row] && !isKept(brush, values[row])) kept[row] = 0;
  }
  return kept;
}

/** @param {Brush} brush @param {Value} value */
function isKept(brush, value) {
  if (!brush.picks)
    return typeof value === "number" && Number.isFinite(value) && value >= brush.lo && value <= brush.hi;
  if (value === null) return brush.picks.has(PICK_MISSING);
  if (typeof value === "number" && !Number.isFinite(value)) return brush.picks.has(PICK_NON_FINITE);
  return brush.picks.has(pickOf(String(value)));
}
