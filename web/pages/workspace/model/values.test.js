import assert from "node:assert/strict";
import { test } from "node:test";
import { checkDocument } from "../../../data/workspaces/workspace_check.js";
import { effective } from "./cascade.js";
import { parseColumn, printColumn } from "./column_names.js";
import { dropPanel, movePanel, overlap, placePanels, withSetting } from "./edit.js";
import { startingDocument } from "./starting.js";
import { summaryOf } from "./summary.js";
import { titleOf } from "./titles.js";

const VALUES = /** @type {Record<string, unknown>} */ ({ a: 2, b: -2, c: NaN, d: null, e: "x", f: Infinity });
const of = (/** @type {string} */ run) => VALUES[run];

test("a summary is over the finite values", () => {
  const runs = Object.keys(VALUES);
  assert.deepEqual(summaryOf(runs, of, "max"), { run: "a", value: 2, count: 2 });
  assert.deepEqual(summaryOf(runs, of, "min"), { run: "b", value: -2, count: 2 });
  const numbers = /** @type {const} */ (["mean", "median", "sum", "count"]).map(
    (how) => summaryOf(runs, of, how)?.value,
  );
  assert.deepEqual(numbers, [0, 0, 0, 2]);
  assert.equal(summaryOf(["d"], of, "mean"), null);
});

test("names of columns are read as they are written", () => {
  for (const text of ["best:a:b", "last:x", "param:lr"])
    assert.equal(printColumn(/** @type {any} */ (parseColumn(text))), text);
  for (const text of ["", "best:", "mean:x", 3, undefined]) assert.equal(parseColumn(text), null);
});

test("a panel without a title is named after what it shows", () => {
  const named = (/** @type {string} */ kind, /** @type {object} */ settings) =>
    titleOf({ kind, x: 0, y: 0, w: 1, h: 1, settings: /** @type {any} */ (settings) });
  assert.equal(named("lines", { tags: ["a"], patterns: ["^b"], expressions: ["a - b"] }), "a, ^b, a - b");
  assert.equal(named("bars", { metric: "best:loss" }), "loss");
  assert.equal(named("scatter", { x: "param:lr", y: "best:loss" }), "loss / lr");
  assert.equal(named("lines", { title: "Mine", tags: ["a"] }), "Mine");
  assert.equal(named("text", {}), "");
});

test("a panel has its own settings and those it inherits", () => {
  assert.deepEqual(
    effective({ axis: "step", log: true, title: "no" }, { log: false }, { tags: ["a"], axis: "relative" }),
    {
      tags: ["a"],
      axis: "relative",
      log: false,
    },
  );
});

test("the starting workspace is valid, and charts of training and validation data share a panel", () => {
  const tags = ["train/loss", "validation/loss", "validation/accuracy", "lr"].map((tag) => ({ tag, runs: 4 }));
  const document = startingDocument(tags, 4, { metrics: "M", runs: "R" });
  assert.deepEqual(checkDocument(document), document);
  assert.deepEqual(document.sections[0].panels[0].settings, { tags: ["train/loss", "validation/loss"] });
  assert.deepEqual(startingDocument([], 0, { metrics: "M", runs: "R" }).sections.length, 1);
});

const panel = { kind: "lines", x: 0, y: 0, w: 6, h: 3, settings: {} };
const document = /** @type {import("../../../data/workspaces/workspace_check.js").WorkspaceDocument} */ ({
  version: 1,
  settings: {},
  sections: [
    { name: "A", collapsed: false, settings: {}, panels: [panel] },
    { name: "B", collapsed: false, settings: {}, panels: [panel] },
  ],
});

test("a panel that moves to another section gets a free place there", () => {
  const { sections } = movePanel(document, 0, 0, 1);
  assert.equal(sections[0].panels.length, 0);
  assert.ok(!overlap(sections[1].panels[0], sections[1].panels[1]));
});

test("placing panels where they are changes nothing", () => {
  assert.equal(placePanels(document, 0, [{ x: 0, y: 0, w: 6, h: 3 }]), document);
  assert.equal(placePanels(document, 0, [{ x: 1, y: 0, w: 6, h: 3 }]).sections[0].panels[0].x, 1);
});

test("an undefined setting is removed", () => {
  assert.deepEqual(withSetting({ a: 1, b: 2 }, "a", undefined), { b: 2 });
  assert.deepEqual(withSetting({ b: 2 }, "a", false), { b: 2, a: false });
});

test("a panel that is dropped in another section is where it was dropped, and others are where they made room", () => {
  const { sections } = dropPanel(document, { section: 0, at: 0 }, 1, { x: 0, y: 0, w: 6, h: 3 }, [
    { x: 0, y: 3, w: 6, h: 3 },
  ]);
  assert.equal(sections[0].panels.length, 0);
  assert.deepEqual(
    sections[1].panels.map(({ y }) => y),
    [3, 0],
  );
});
