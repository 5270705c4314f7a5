// What stands in a box, and how large that makes it.

import { groupLabel } from "../model/boxes.js";
import { cut, widthOf } from "./text_width.js";

/** @typedef {import("../model/boxes.js").Box} Box */
/** @typedef {import("../model/elk.js").Face} Face */

export const LABEL = 12;
export const NOTE = 10.5;
/** A scope's name is heavier than a node's. @param {Box} box */
export const weightOf = ({ kind }) => (kind === "scope" ? 600 : 400);
const WIDEST = 190;
const SIDES = 20;
const LOW = 24;
const HIGH = 38;

/** @param {Box} box @returns {Face} */
export function faceOf(box) {
  const { kind, members, count } = box;
  const weight = weightOf(box);
  const first = members[0];
  const times = count > 1 && kind !== "rest" ? `  ×${count}` : "";
  const room = WIDEST - widthOf(times, LABEL, weight);
  const label =
    kind === "rest" ? `+ ${count}` : cut(count > 1 ? groupLabel(members) : first.label, room, LABEL, weight) + times;
  const note = cut(noteOf(box), WIDEST, NOTE);
  const width = Math.max(widthOf(label, LABEL, weight), widthOf(note, NOTE)) + SIDES;
  return { label, note, width: Math.max(kind === "scope" ? 72 : 44, Math.ceil(width)), height: note ? HIGH : LOW };
}

/** Of a scope how many nodes it holds; of a node what it computes, unless its name says so.
 * @param {Box} box */
function noteOf({ kind, members, count }) {
  if (kind === "rest") return "";
  const { op, label, nodes } = members[0];
  if (kind === "scope") return count > 1 ? `${count} × ${nodes}` : String(nodes);
  return kind === "operator" && op && !label.toLowerCase().startsWith(op.toLowerCase()) ? op : "";
}
