// Elements as text: with fixed decimals or exponents in a table, exactly in a read-out.

import { columnFormat, nonFinite } from "../../../i18n/numbers.js";

/** @typedef {import("../../../i18n/numbers.js").ColumnFormat} ColumnFormat */
/** @typedef {import("./npy.js").Elements} Elements */

/** Larger numbers always have an exponent, since they would not fit in a column. */
const MAX_PLAIN = 1e12;
export const MAX_DECIMALS = 10;

/** The kind of numbers of a data type.
 * @typedef {"whole" | "real" | "complex"} NumberKind */

/** @param {string} dtype @returns {NumberKind} */
export const numberKindOf = (dtype) =>
  dtype.startsWith("complex") ? "complex" : /^(int|uint|bool)/.test(dtype) ? "whole" : "real";

/** The number format of a table: the user's choice, or one derived from the range. Integers have no decimals.
 * @param {number} min @param {number} max @param {NumberKind} kind @param {string} decimals "" = derived from the range
 * @param {"" | "plain" | "scientific"} notation @returns {ColumnFormat} */
export function formatOf(min, max, kind, decimals, notation) {
  const automatic = columnFormat([Math.max(Math.abs(max), Math.abs(min))]);
  const exponents = notation ? notation === "scientific" : automatic.exponents && kind !== "whole";
  if (kind === "whole" && !exponents) return { exponents, decimals: 0 };
  const chosen = /^\d+$/.test(decimals) ? Math.min(MAX_DECIMALS, Number(decimals)) : null;
  return {
    exponents,
    decimals: chosen ?? (exponents ? 3 : automatic.exponents ? 4 : Math.max(2, Math.min(automatic.decimals, 6))),
  };
}

/** The widest texts that can occur in a range of values.
 * @param {number} min @param {number} max @param {NumberKind} kind @param {ColumnFormat} format */
export function widestTexts(min, max, kind, format) {
  const texts = [min, max].map((value) =>
    kind === "whole" && !format.exponents ? value.toFixed(0) : numberText(value, format),
  );
  if (format.exponents) texts.push((-8.8e-88).toExponential(format.decimals));
  const signless = (/** @type {string} */ text) => text.replace(/^[-−]/, "");
  return kind === "complex" ? texts.map((text) => `−${signless(text)}+${signless(text)}j`) : [...texts, "false"];
}

/** @param {number} value @param {ColumnFormat} format */
function numberText(value, { decimals, exponents }) {
  const special = nonFinite(value);
  if (special) return special;
  if (value === 0) return "0";
  return withMinusSign(
    exponents || Math.abs(value) >= MAX_PLAIN ? value.toExponential(decimals) : value.toFixed(decimals),
  );
}

/** Replaces a hyphen by a minus sign, which is as wide as a digit.
 * @param {string} text */
const withMinusSign = (text) => text.replace(/^-/, "−");

/** @param {Elements} elements @param {number} index @param {ColumnFormat} format */
export function cellText({ kind, values }, index, format) {
  if (kind === "complex")
    return complexText(
      Number(values[2 * index]),
      Number(values[2 * index + 1]),
      (part) => numberText(part, format),
      "−",
    );
  if (kind === "float" || (kind === "integer" && format.exponents)) return numberText(Number(values[index]), format);
  return kind === "bool" ? (values[index] ? "true" : "false") : withMinusSign(String(values[index]));
}

/** An element with all of its digits.
 * @param {Elements} elements @param {number} index */
export function exactText({ kind, isSingle, values }, index) {
  const text = (/** @type {number} */ value) => nonFinite(value) ?? (isSingle ? shortestSingle(value) : String(value));
  if (kind === "complex") return complexText(Number(values[2 * index]), Number(values[2 * index + 1]), text, "-");
  if (kind === "bool") return values[index] ? "true" : "false";
  return kind === "float" ? text(Number(values[index])) : String(values[index]);
}

/** @param {number} real @param {number} imaginary @param {(part: number) => string} text @param {string} minus */
function complexText(real, imaginary, text, minus) {
  const isNegative = imaginary < 0 || Object.is(imaginary, -0);
  return `${text(real)}${isNegative ? minus : "+"}${text(Math.abs(imaginary))}j`;
}

/** The shortest decimal that identifies a float32.
 * @param {number} value */
function shortestSingle(value) {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}
