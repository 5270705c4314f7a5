// The text in a box, and the size of the box that results.

import { groupLabel } from "../model/boxes.js";
import { textWidth, truncate } from "./text_width.js";

/** @typedef {import("../model/boxes.js").Box} Box */
/** @typedef {import("../model/scope_layout.js").NodeLabel} NodeLabel */

export const LABEL_SIZE = 12;
export const NOTE_SIZE = 10.5;
/** The font weight of a box's name. @param {Box} box */
export const weightOf = ({ kind }) => (kind === "scope" ? 600 : 400);
const MAX_WIDTH = 190;
const PADDING = 20;
const HEIGHT = 24;
const HEIGHT_WITH_NOTE = 38;

/** @param {Box} box @returns {NodeLabel} */
export function labelOf(box) {
  const { kind, members, count } = box;
  const weight = weightOf(box);
  const first = members[0];
  const multiplier = count > 1 && kind !== "rest" ? `  ×${count}` : "";
  const room = MAX_WIDTH - textWidth(multiplier, LABEL_SIZE, weight);
  const text =
    kind === "rest"
      ? `+ ${count}`
      : truncate(count > 1 ? groupLabel(members) : first.label, room, LABEL_SIZE, weight) + multiplier;
  const note = truncate(noteOf(box), MAX_WIDTH, NOTE_SIZE);
  const width = Math.max(textWidth(text, LABEL_SIZE, weight), textWidth(note, NOTE_SIZE)) + PADDING;
  return {
    text,
    note,
    width: Math.max(kind === "scope" ? 72 : 44, Math.ceil(width)),
    height: note ? HEIGHT_WITH_NOTE : HEIGHT,
  };
}

/** A scope's number of nodes, or a node's operator unless its name starts with it.
 * @param {Box} box */
function noteOf({ kind, members, count }) {
  if (kind === "rest") return "";
  const { op, label, nodes } = members[0];
  if (kind === "scope") return count > 1 ? `${count} × ${nodes}` : String(nodes);
  return kind === "operator" && op && !label.toLowerCase().startsWith(op.toLowerCase()) ? op : "";
}
