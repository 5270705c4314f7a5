// Which part of a tensor is looked at, in NumPy's notation: "[0,:,1:5]", an index or a range a dimension.

/** The places of one dimension that are looked at; an index is a range of one place that is not free.
 * @typedef {{first: number, step: number, count: number, isFree: boolean}} Part */

/** Why a slice cannot be: in which dimension, and what is allowed there.
 * @typedef {{kind: "syntax" | "outside" | "empty" | "step" | "many", dim: number, text: string, low: number, high: number}} Problem */

/** @typedef {{texts: string[], parts: Part[], problem: Problem | null}} Slice one text and part a dimension */

const INDEX = /^-?\d{1,15}$/;
const RANGE = /^(-?\d{1,15})?:(-?\d{1,15})?(?::(-?\d{1,15})?)?$/;

/** The last two dimensions whole, of the others the first place.
 * @param {number[]} dims */
const usualSlice = (dims) => dims.map((_, dim) => (dim < dims.length - 2 ? "0" : ":"));

/** Never throws; with a problem the parts are those of the usual slice.
 * @param {string} text @param {number[]} dims @returns {Slice} */
export function parseSlice(text, dims) {
  const inner = text
    .trim()
    .replace(/^\[(.*)\]$/s, "$1")
    .trim();
  const given = inner ? inner.split(",").map((part) => part.trim()) : [];
  const texts = inner ? spread(given, dims.length) : usualSlice(dims);
  if (texts.length > dims.length)
    return failed({ kind: "many", dim: 0, text: inner, low: texts.length, high: dims.length }, usualSlice(dims), dims);
  return partsOf(texts, dims);
}

/** @param {string[]} texts one a dimension @param {number[]} dims @returns {Slice} */
export function partsOf(texts, dims) {
  const parts = [];
  for (const [dim, text] of texts.entries()) {
    const part = partOf(text.trim(), dims[dim], dim);
    if ("kind" in part) return failed(part, texts, dims);
    parts.push(part);
  }
  return { texts, parts, problem: null };
}

/** @param {Problem} problem @param {string[]} texts @param {number[]} dims @returns {Slice} */
function failed(problem, texts, dims) {
  const parts = usualSlice(dims).map(
    (text, dim) =>
      /** @type {Part} */ (text === "0" ? { first: 0, step: 1, count: 1, isFree: false } : whole(dims[dim])),
  );
  return { texts, parts, problem };
}

/** "..." stands for as many whole dimensions as are left; what is left out at the end is whole.
 * @param {string[]} given @param {number} rank */
function spread(given, rank) {
  const dots = given.indexOf("...");
  const missing = Array(Math.max(0, rank - given.length + (dots >= 0 ? 1 : 0))).fill(":");
  return dots >= 0 ? given.toSpliced(dots, 1, ...missing) : [...given, ...missing];
}

/** @param {number} size @returns {Part} */
const whole = (size) => ({ first: 0, step: 1, count: size, isFree: true });

/** @param {string} text @param {number} size @param {number} dim @returns {Part | Problem} */
function partOf(text, size, dim) {
  const problem = (/** @type {Problem["kind"]} */ kind) => ({ kind, dim, text, low: -size, high: size - 1 });
  if (INDEX.test(text)) {
    const index = Number(text);
    return index < -size || index >= size
      ? problem("outside")
      : { first: index < 0 ? index + size : index, step: 1, count: 1, isFree: false };
  }
  const found = RANGE.exec(text);
  if (!found) return text ? problem("syntax") : whole(size);
  const [start, stop, step = 1] = found.slice(1).map((number) => (number === undefined ? undefined : Number(number)));
  if (step === 0) return problem("step");
  const range = rangeOf(start, stop, step, size);
  return range.count || !size ? range : problem("empty");
}

/** As Python has it: what lies outside is cut off.
 * @param {number | undefined} start @param {number | undefined} stop @param {number} step @param {number} size @returns {Part} */
function rangeOf(start, stop, step, size) {
  const [lowest, highest] = step < 0 ? [-1, size - 1] : [0, size];
  const inside = (/** @type {number} */ place) => Math.min(highest, Math.max(lowest, place < 0 ? place + size : place));
  const first = start === undefined ? (step < 0 ? highest : lowest) : inside(start);
  const end = stop === undefined ? (step < 0 ? lowest : highest) : inside(stop);
  return { first, step, count: Math.max(0, Math.ceil((end - first) / step)), isFree: true };
}

/** As the server reads it.
 * @param {Part[]} parts */
export const printSlice = (parts) => (parts.length ? `[${parts.map(printPart).join(",")}]` : "");

/** @param {Part} part */
function printPart({ first, step, count, isFree }) {
  if (!isFree) return String(first);
  const end = first + step * count;
  return `${first}:${end < 0 ? "" : end}${step === 1 ? "" : `:${step}`}`;
}

/** Elements of a slice.
 * @param {Part[]} parts */
export const countOf = (parts) => parts.reduce((product, { count }) => product * count, 1);

/** Some of the places of a part.
 * @param {Part} part @param {number} from @param {number} count @returns {Part} */
export const within = ({ first, step }, from, count) => ({ first: first + step * from, step, count, isFree: true });

/** A slice in pieces of at most so many elements, in order.
 * @param {Part[]} parts @param {number} most @returns {Generator<Part[]>} */
export function* piecesOf(parts, most) {
  const total = countOf(parts);
  const dim = parts.findIndex(({ count }) => count > 1);
  if (total <= most || dim < 0) {
    yield parts;
    return;
  }
  const atOnce = Math.max(1, Math.floor(most / (total / parts[dim].count)));
  for (let from = 0; from < parts[dim].count; from += atOnce) {
    const part = within(parts[dim], from, Math.min(atOnce, parts[dim].count - from));
    yield* piecesOf(parts.with(dim, part), most);
  }
}

/** At most so many elements, evenly spread over a slice.
 * @param {Part[]} parts @param {number} most */
export function thinned(parts, most) {
  let thin = parts;
  for (let dim = 0; dim < parts.length && countOf(thin) > most; dim++) {
    const { first, step, count, isFree } = parts[dim];
    const stride = Math.min(count, Math.ceil(countOf(thin) / most));
    thin = thin.with(dim, { first, step: step * stride, count: Math.ceil(count / stride), isFree });
  }
  return thin;
}
