// The text beside the run under the cursor of a plot: its name, and its values.

import { plainText, shortNumber } from "../../i18n/numbers.js";
import { nameOf } from "../run_name.js";

/** @typedef {import("./columns.js").Column} Column */

/** @param {string} run @param {readonly Column[]} columns @param {number} row */
export const tipText = (run, columns, row) =>
  [nameOf(run), ...columns.map(({ name, values }) => `${name} ${valueText(values[row])}`)].join("\n");

/** @param {import("./columns.js").Value} value */
const valueText = (value) =>
  value === null ? "–" : typeof value === "number" ? shortNumber(value, 6) : plainText(value);
