import assert from "node:assert/strict";
import { test } from "node:test";
import { countOf, parseSlice, partsOf, piecesOf, printSlice, samplePart, subPart } from "./slice.js";

let seed = 7;
const random = (/** @type {number} */ below) => Math.floor(((seed = (seed * 16807) % 2147483647) / 2147483647) * below);

/** All indices of a part. @param {import("./slice.js").Part} part */
const indices = ({ first, step, count }) => Array.from({ length: count }, (_, i) => first + i * step);

/** All flat positions of a slice, in order. @param {import("./slice.js").Part[]} parts @param {number[]} dims */
function positions(parts, dims) {
  let all = [0];
  parts.forEach((part, dim) => {
    all = all.flatMap((at) => indices(part).map((index) => at * dims[dim] + index));
  });
  return all;
}

/** Python's range(size)[start:stop:step], the slow way.
 * @param {number} size @param {number | null} start @param {number | null} stop @param {number} step */
function pythonRange(size, start, stop, step) {
  const bound = (/** @type {number} */ value) => (value < 0 ? value + size : value);
  const all = Array.from({ length: size }, (_, i) => i);
  if (step < 0) all.reverse();
  const from = start === null ? null : bound(start);
  const to = stop === null ? null : bound(stop);
  const after = (/** @type {number} */ a, /** @type {number} */ b) => (step > 0 ? a >= b : a <= b);
  const inside = all.filter((i) => (from === null || after(i, from)) && (to === null || !after(i, to)));
  return inside.filter((_, i) => i % Math.abs(step) === 0);
}

test("ranges select what Python's slices select", () => {
  for (let round = 0; round < 2000; round++) {
    const size = 1 + random(9);
    const bound = () => (random(4) ? random(25) - 12 : null);
    const [start, stop] = [bound(), bound()];
    const step = (1 + random(3)) * (random(2) ? 1 : -1);
    const text = `${start ?? ""}:${stop ?? ""}:${step}`;
    const { parts, problem } = partsOf([text], [size]);
    const expected = pythonRange(size, start, stop, step);
    if (expected.length) assert.deepEqual(indices(parts[0]), expected, `${size}[${text}]`);
    else assert.equal(problem?.kind, "empty", `${size}[${text}]`);
  }
});

test("the default slice is all of the last two dimensions", () => {
  assert.equal(printSlice(parseSlice("", [4, 5, 6, 7]).parts), "[0,0,0:6,0:7]");
  assert.equal(printSlice(parseSlice("[]", [3]).parts), "[0:3]");
  assert.equal(printSlice(parseSlice("", []).parts), "");
});

test("an ellipsis and omitted dimensions are complete", () => {
  const dims = [4, 5, 6];
  assert.equal(printSlice(parseSlice("[..., 2]", dims).parts), "[0:4,0:5,2]");
  assert.equal(printSlice(parseSlice("-1", dims).parts), "[3,0:5,0:6]");
  assert.equal(printSlice(parseSlice("[::-2, 1, 2:5]", dims).parts), "[3::-2,1,2:5]");
});

test("an invalid slice names its dimension and the allowed range, and has the default parts", () => {
  const dims = [4, 5, 6];
  const problem = (/** @type {string} */ text) => parseSlice(text, dims).problem;
  assert.deepEqual(problem("[4]"), { kind: "out_of_bounds", dim: 0, text: "4", low: -4, high: 3 });
  assert.equal(problem("[0, x]")?.kind, "syntax");
  assert.equal(problem("[0, 1:1]")?.kind, "empty");
  assert.equal(problem("[0, ::0]")?.kind, "step");
  assert.deepEqual(problem("[0,0,0,0]"), { kind: "too_many_indices", dim: 0, text: "0,0,0,0", low: 4, high: 3 });
  assert.equal(printSlice(parseSlice("[9]", dims).parts), "[0,0:5,0:6]");
});

test("a printed slice is parsed to the same parts", () => {
  for (const text of ["[1,:,2:5]", "[::-1,::2,3]", "[0:2,4::-3,:]"]) {
    const { parts } = parseSlice(text, [4, 5, 6]);
    assert.deepEqual(parseSlice(printSlice(parts), [4, 5, 6]).parts, parts);
  }
});

test("pieces contain every element of a slice once, in order, and at most the maximum", () => {
  for (let round = 0; round < 200; round++) {
    const dims = Array.from({ length: 1 + random(4) }, () => 1 + random(7));
    const { parts } = partsOf(
      dims.map((size) => (random(3) ? `::${1 + random(2)}` : String(random(size)))),
      dims,
    );
    const maximum = 1 + random(20);
    const pieces = [...piecesOf(parts, maximum)];
    assert.deepEqual(
      pieces.flatMap((piece) => positions(piece, dims)),
      positions(parts, dims),
    );
    for (const piece of pieces) assert.ok(countOf(piece) <= maximum);
  }
});

test("a sample is spread over the slice, and has at most the maximum", () => {
  for (let round = 0; round < 200; round++) {
    const dims = Array.from({ length: 1 + random(4) }, () => 1 + random(9));
    const { parts } = partsOf(
      dims.map(() => ":"),
      dims,
    );
    const maximum = 1 + random(50);
    const sample = samplePart(parts, maximum);
    assert.ok(countOf(sample) <= maximum);
    const all = new Set(positions(parts, dims));
    const chosen = positions(sample, dims);
    assert.equal(new Set(chosen).size, chosen.length);
    for (const at of chosen) assert.ok(all.has(at));
    if (countOf(parts) <= maximum) assert.deepEqual(sample, parts);
  }
});

test("a range within a part keeps its step", () => {
  const [part] = partsOf(["8::-2"], [9]).parts;
  assert.deepEqual(indices(subPart(part, 1, 3)), [6, 4, 2]);
});
