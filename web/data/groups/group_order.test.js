import assert from "node:assert/strict";
import { test } from "node:test";
import { drawnGroups, withBands } from "./group_order.js";

/** @param {string} run the name of the group @param {string[]} runs of it */
const band = (run, ...runs) => /** @type {any} */ ({ run, band: { runs } });

test("a group keeps its style whatever groups other tags have", () => {
  const first = withBands(new Map(), [band("b", "run1"), band("c", "run2")]);
  const both = withBands(first, [band("a", "run3"), band("c", "run2", "run4")]);
  assert.deepEqual(
    [...both].map(([name, { style }]) => [name, style.colour]),
    [
      ["b", 0],
      ["c", 1],
      ["a", 2],
    ],
  );
  assert.deepEqual([...(both.get("c")?.runs ?? [])], ["run2", "run4"]);
  assert.equal(withBands(both, [band("a", "run3")]), both);
});

test("groups are in the order of their values, and those without drawn runs are left out", () => {
  const groups = withBands(new Map(), [band("0.1", "a"), band("0.03", "b", "c"), band("10", "d"), band("2", "e")]);
  const shown = drawnGroups(groups, ["a", "b", "d"]);
  assert.deepEqual(
    shown.map(([name, { runs }]) => [name, runs.size]),
    [
      ["0.03", 1],
      ["0.1", 1],
      ["10", 1],
    ],
  );
});
