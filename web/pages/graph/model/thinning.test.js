import assert from "node:assert/strict";
import { test } from "node:test";
import { thinLines } from "./thinning.js";

let seed = 11;
const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
/** @param {string} from @param {string} to */
const line = (from, to) => ({ from, to, control: false, count: 1, flows: [] });

test("few lines are all kept", () => {
  const lines = [line("a", "b"), line("b", "c")];
  assert.equal(thinLines(lines, ["a", "b", "c"]), lines);
});

test("of random lines the shortest are kept in their order, and every end keeps a line", () => {
  const boxes = Array.from({ length: 200 }, (_, i) => `b${i}`);
  const lines = Array.from({ length: 3000 }, () => {
    const [a, b] = [Math.floor(random() * 200), Math.floor(random() * 200)];
    return line(`b${Math.min(a, b)}`, `b${Math.max(a, b)}`);
  });
  const kept = thinLines(lines, boxes);
  assert.equal(kept.length, 1000);
  assert.deepEqual(
    kept,
    lines.filter((one) => kept.includes(one)),
  );
  for (const end of /** @type {const} */ (["from", "to"]))
    assert.deepEqual(new Set(kept.map((one) => one[end])), new Set(lines.map((one) => one[end])));
  const length = (/** @type {typeof lines[0]} */ { from, to }) => Number(to.slice(1)) - Number(from.slice(1));
  const omitted = lines.filter((one) => !kept.includes(one));
  const shortestOmitted = Math.min(...omitted.map(length));
  const longer = kept.filter((one) => length(one) > shortestOmitted);
  // Only the single line of an end may be longer than an omitted one: at most one for each end.
  assert.ok(longer.length <= 2 * boxes.length);
});

test("lines from the border count as short", () => {
  const boxes = Array.from({ length: 60 }, (_, i) => `b${i}`);
  const across = Array.from({ length: 1200 }, (_, i) => line("b0", `b${59 - (i % 3)}`));
  const border = boxes.map((id) => line("scope\0in\0x", id));
  const kept = thinLines([...across, ...border], boxes);
  for (const one of border) assert.ok(kept.includes(one));
});
