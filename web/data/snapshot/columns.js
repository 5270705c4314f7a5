// The columns of all runs, reduced to some runs.

import { namesOf } from "../runs/run_facts.js";
import { numbersOf } from "../series/series.js";

/** @typedef {import("../client/api_types.js").RunColumnsReply} RunColumnsReply */
/** @typedef {import("../client/api_types.js").NumberColumn} NumberColumn */
/** @typedef {import("../client/api_types.js").CodedColumn} CodedColumn */

/** The kinds of columns of a reply. */
export const KINDS = /** @type {const} */ (["fact", "last", "min", "max", "param"]);

/** @param {RunColumnsReply} reply of all runs @param {readonly string[]} names @returns {RunColumnsReply} */
export function reduced(reply, names) {
  const all = namesOf(reply.runs);
  const kept = new Set(names);
  const places = all.flatMap((run, place) => (kept.has(run) ? [place] : []));
  const columns = Object.fromEntries(
    KINDS.map((kind) => [
      kind,
      Object.fromEntries(Object.entries(reply[kind] ?? {}).map(([name, column]) => [name, part(column, places)])),
    ]),
  );
  return { ...reply, ...columns, runs: places.map((place) => all[place]).join("\0"), total: places.length };
}

/** @param {NumberColumn | CodedColumn} column @param {number[]} places @returns {NumberColumn | CodedColumn} */
function part(column, places) {
  if ("code" in column) {
    const codes = numbersOf(column.code);
    const used = [...new Set(places.map((place) => codes[place]).filter((code) => code >= 0))];
    return {
      code: places.map((place) => used.indexOf(codes[place])),
      value: used.map((code) => column.value[code]),
    };
  }
  const numbers = numbersOf(column.number);
  if (column.row === null) return { row: null, number: places.map((place) => numbers[place]) };
  const at = new Map(Array.from(numbersOf(column.row), (place, index) => [place, index]));
  const having = places.flatMap((place, index) => (at.has(place) ? [[index, at.get(place) ?? 0]] : []));
  return { row: having.map(([index]) => index), number: having.map(([, index]) => numbers[index]) };
}
