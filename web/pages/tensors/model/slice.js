// Slices in NumPy's notation: "[0,:,1:5]", an index or a range for each dimension.

/** The selected indices of one dimension; a single index is a range of length one that is not free.
 * @typedef {{first: number, step: number, count: number, isFree: boolean}} Part */

/** Why a slice is invalid: the kind of error, the dimension, and the allowed range.
 * @typedef {{kind: "syntax" | "out_of_bounds" | "empty" | "step" | "too_many_indices", dim: number, text: string, low:
 *   number, high: number}} Problem */

/**
 * @typedef {{texts: string[], parts: Part[], problem: Problem | null}} Slice one text and one part for each dimension
 */

const INDEX = /^-?\d{1,15}$/;
const RANGE = /^(-?\d{1,15})?:(-?\d{1,15})?(?::(-?\d{1,15})?)?$/;

/** All of the last two dimensions, and index 0 of the others.
 * @param {number[]} dims */
const defaultSlice = (dims) => dims.map((_, dim) => (dim < dims.length - 2 ? "0" : ":"));

/** Never throws; an invalid slice has the parts of the default slice.
 * @param {string} text @param {number[]} dims @returns {Slice} */
export function parseSlice(text, dims) {
  const inner = text
    .trim()
    .replace(/^\[(.*)\]$/s, "$1")
    .trim();
  const entries = inner ? inner.split(",").map((part) => part.trim()) : [];
  const texts = inner ? expandEllipsis(entries, dims.length) : defaultSlice(dims);
  if (texts.length > dims.length)
    return invalid(
      { kind: "too_many_indices", dim: 0, text: inner, low: texts.length, high: dims.length },
      defaultSlice(dims),
      dims,
    );
  return partsOf(texts, dims);
}

/** @param {string[]} texts one for each dimension @param {number[]} dims @returns {Slice} */
export function partsOf(texts, dims) {
  const parts = [];
  for (const [dim, text] of texts.entries()) {
    const part = partOf(text.trim(), dims[dim], dim);
    if ("kind" in part) return invalid(part, texts, dims);
    parts.push(part);
  }
  return { texts, parts, problem: null };
}

/** @param {Problem} problem @param {string[]} texts @param {number[]} dims @returns {Slice} */
function invalid(problem, texts, dims) {
  const parts = defaultSlice(dims).map(
    (text, dim) =>
      /** @type {Part} */ (text === "0" ? { first: 0, step: 1, count: 1, isFree: false } : whole(dims[dim])),
  );
  return { texts, parts, problem };
}

/** "..." represents all remaining dimensions; omitted trailing dimensions are complete.
 * @param {string[]} entries @param {number} rank */
function expandEllipsis(entries, rank) {
  const dots = entries.indexOf("...");
  const missing = Array(Math.max(0, rank - entries.length + (dots >= 0 ? 1 : 0))).fill(":");
  return dots >= 0 ? entries.toSpliced(dots, 1, ...missing) : [...entries, ...missing];
}

/** @param {number} size @returns {Part} */
const whole = (size) => ({ first: 0, step: 1, count: size, isFree: true });

/** @param {string} text @param {number} size @param {number} dim @returns {Part | Problem} */
function partOf(text, size, dim) {
  const problem = (/** @type {Problem["kind"]} */ kind) => ({ kind, dim, text, low: -size, high: size - 1 });
  if (INDEX.test(text)) {
    const index = Number(text);
    return index < -size || index >= size
      ? problem("out_of_bounds")
      : { first: index < 0 ? index + size : index, step: 1, count: 1, isFree: false };
  }
  const match = RANGE.exec(text);
  if (!match) return text ? problem("syntax") : whole(size);
  const [start, stop, step = 1] = match.slice(1).map((number) => (number === undefined ? undefined : Number(number)));
  if (step === 0) return problem("step");
  const range = rangeOf(start, stop, step, size);
  return range.count || !size ? range : problem("empty");
}

/** As in Python, bounds are clipped to the dimension.
 * @param {number | undefined} start @param {number | undefined} stop @param {number} step @param {number} size
 * @returns {Part} */
function rangeOf(start, stop, step, size) {
  const [lowest, highest] = step < 0 ? [-1, size - 1] : [0, size];
  const clamp = (/** @type {number} */ place) => Math.min(highest, Math.max(lowest, place < 0 ? place + size : place));
  const first = start === undefined ? (step < 0 ? highest : lowest) : clamp(start);
  const end = stop === undefined ? (step < 0 ? lowest : highest) : clamp(stop);
  return { first, step, count: Math.max(0, Math.ceil((end - first) / step)), isFree: true };
}

/** The slice in the syntax of the HTTP API.
 * @param {Part[]} parts */
export const printSlice = (parts) => (parts.length ? `[${parts.map(printPart).join(",")}]` : "");

/** @param {Part} part */
function printPart({ first, step, count, isFree }) {
  if (!isFree) return String(first);
  const end = first + step * count;
  return `${first}:${end < 0 ? "" : end}${step === 1 ? "" : `:${step}`}`;
}

/** The number of elements of a slice.
 * @param {Part[]} parts */
export const countOf = (parts) => parts.reduce((product, { count }) => product * count, 1);

/** A contiguous range of a part's indices.
 * @param {Part} part @param {number} from @param {number} count @returns {Part} */
export const subPart = ({ first, step }, from, count) => ({ first: first + step * from, step, count, isFree: true });

/** Splits a slice into pieces of at most `maximum` elements, in order.
 * @param {Part[]} parts @param {number} maximum @returns {Generator<Part[]>} */
export function* piecesOf(parts, maximum) {
  const total = countOf(parts);
  const dim = parts.findIndex(({ count }) => count > 1);
  if (total <= maximum || dim < 0) {
    yield parts;
    return;
  }
  const size = Math.max(1, Math.floor(maximum / (total / parts[dim].count)));
  for (let from = 0; from < parts[dim].count; from += size) {
    const part = subPart(parts[dim], from, Math.min(size, parts[dim].count - from));
    yield* piecesOf(parts.with(dim, part), maximum);
  }
}

/** At most `maximum` elements, evenly spread over a slice.
 * @param {Part[]} parts @param {number} maximum */
export function samplePart(parts, maximum) {
  let sampled = parts;
  for (let dim = 0; dim < parts.length && countOf(sampled) > maximum; dim++) {
    const { first, step, count, isFree } = parts[dim];
    const stride = Math.min(count, Math.ceil(countOf(sampled) / maximum));
    sampled = sampled.with(dim, { first, step: step * stride, count: Math.ceil(count / stride), isFree });
  }
  return sampled;
}
