// Elements as text: so many decimals or with exponents in a table, exactly in a read-out.

import { columnFormat, nonFinite } from "../../../i18n/numbers.js";

/** @typedef {import("../../../i18n/numbers.js").ColumnFormat} ColumnFormat */
/** @typedef {import("./npy.js").Elements} Elements */

/** Beyond this a number without an exponent is wider than any column. */
const WIDEST = 1e12;
export const MOST_DECIMALS = 10;

/** What numbers a data type holds.
 * @typedef {"whole" | "real" | "complex"} NumberKind */

/** @param {string} dtype @returns {NumberKind} */
export const numberKindOf = (dtype) =>
  dtype.startsWith("complex") ? "complex" : /^(int|uint|bool)/.test(dtype) ? "whole" : "real";

/** The format of a tensor's table: what the user chose, else what its extent asks for. Whole numbers are written whole.
 * @param {number} min @param {number} max @param {NumberKind} kind @param {string} decimals "" = as its extent has it
 * @param {"" | "plain" | "scientific"} notation @returns {ColumnFormat} */
export function formatOf(min, max, kind, decimals, notation) {
  const usual = columnFormat([Math.max(Math.abs(max), Math.abs(min))]);
  const exponents = notation ? notation === "scientific" : usual.exponents && kind !== "whole";
  if (kind === "whole" && !exponents) return { exponents, decimals: 0 };
  const chosen = /^\d+$/.test(decimals) ? Math.min(MOST_DECIMALS, Number(decimals)) : null;
  return {
    exponents,
    decimals: chosen ?? (exponents ? 3 : usual.exponents ? 4 : Math.max(2, Math.min(usual.decimals, 6))),
  };
}

/** Texts that a column must have room for.
 * @param {number} min @param {number} max @param {NumberKind} kind @param {ColumnFormat} format */
export function samplesOf(min, max, kind, format) {
  const texts = [min, max].map((value) =>
    kind === "whole" && !format.exponents ? value.toFixed(0) : numberText(value, format),
  );
  if (format.exponents) texts.push((-8.8e-88).toExponential(format.decimals));
  const signless = (/** @type {string} */ text) => text.replace(/^[-−]/, "");
  return kind === "complex" ? texts.map((text) => `−${signless(text)}+${signless(text)}j`) : [...texts, "false"];
}

/** @param {number} value @param {ColumnFormat} format */
function numberText(value, { decimals, exponents }) {
  const named = nonFinite(value);
  if (named) return named;
  if (value === 0) return "0";
  return signed(exponents || Math.abs(value) >= WIDEST ? value.toExponential(decimals) : value.toFixed(decimals));
}

/** A true minus sign, as wide as a digit.
 * @param {string} text */
const signed = (text) => text.replace(/^-/, "−");

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
  return kind === "bool" ? (values[index] ? "true" : "false") : signed(String(values[index]));
}

/** Every digit that the element has.
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

/** The fewest digits that name this float32 and no other.
 * @param {number} value */
function shortestSingle(value) {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}
