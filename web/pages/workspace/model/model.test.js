import assert from "node:assert/strict";
import { test } from "node:test";
import { COLUMNS, checkDocument } from "../../../data/workspaces/workspace_check.js";
import { CASCADING, reset, resolved } from "./cascade.js";
import { addPanel, addSection, apart, deletePanel, duplicatePanel, freePlace, moveSection, overlap } from "./edit.js";

/** A repeatable generator of whole numbers. @param {number} seed */
const random = (seed) => (/** @type {number} */ below) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};

/** @type {import("../../../data/workspaces/workspace_check.js").WorkspaceDocument} */
const EMPTY = { version: 1, sections: [], settings: {} };

test("random edits keep a document valid and its panels apart", () => {
  for (let seed = 0; seed < 50; seed++) {
    const pick = random(seed);
    let document = addSection(EMPTY, "First");
    for (let edit = 0; edit < 40; edit++) {
      const section = pick(document.sections.length);
      const count = document.sections[section].panels.length;
      const choice = pick(5);
      if (choice === 0) document = addSection(document, `Section ${edit}`);
      else if (choice === 1 && count) document = deletePanel(document, section, pick(count));
      else if (choice === 2 && count) document = duplicatePanel(document, section, pick(count));
      else if (choice === 3) document = moveSection(document, section, pick(document.sections.length));
      else document = addPanel(document, section, "lines", {}, 1 + pick(COLUMNS), 1 + pick(5));
    }
    assert.deepEqual(checkDocument(JSON.parse(JSON.stringify(document))), document);
    for (const { panels } of document.sections)
      panels.forEach((one, at) => {
        for (const other of panels.slice(at + 1)) assert.ok(!overlap(one, other));
      });
  }
});

test("two panels overlap exactly if they share a cell", () => {
  const pick = random(7);
  const box = () => ({ x: pick(6), y: pick(6), w: 1 + pick(4), h: 1 + pick(4) });
  const cells = (/** @type {import("./edit.js").Box} */ { x, y, w, h }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`);
  for (let count = 0; count < 500; count++) {
    const [one, other] = [box(), box()];
    const others = new Set(cells(other));
    assert.equal(
      overlap(one, other),
      cells(one).some((cell) => others.has(cell)),
    );
  }
});

test("panels that overlap are put apart; others stay where they are", () => {
  for (let seed = 0; seed < 50; seed++) {
    const pick = random(seed);
    const boxes = Array.from({ length: 40 }, () => {
      const x = pick(COLUMNS);
      return { x, y: pick(20), w: 1 + pick(COLUMNS - x), h: 1 + pick(5) };
    });
    const placed = apart(boxes);
    placed.forEach((one, at) => {
      assert.deepEqual({ ...one, y: 0 }, { ...boxes[at], y: 0 });
      for (const other of placed.slice(at + 1)) assert.ok(!overlap(one, other));
    });
    assert.deepEqual(apart(placed), placed);
  }
});

test("a new panel fills the first gap that is wide enough", () => {
  assert.deepEqual(
    freePlace(
      [
        { x: 0, y: 0, w: 4, h: 3 },
        { x: 8, y: 0, w: 4, h: 3 },
      ],
      4,
      3,
    ),
    { x: 4, y: 0, w: 4, h: 3 },
  );
});

test("the nearest level that has a setting decides", () => {
  for (let mask = 0; mask < 8; mask++) {
    const [workspace, section, panel] = [1, 2, 4].map((bit) => (mask & bit ? { smooth: bit } : {}));
    const bit = [4, 2, 1].find((each) => mask & each);
    const from = bit === 4 ? "panel" : bit === 2 ? "section" : bit === 1 ? "workspace" : null;
    assert.deepEqual(resolved("smooth", workspace, section, panel), { value: bit, from });
  }
});

test("a setting that was reset is inherited", () => {
  assert.deepEqual(resolved("log", { log: true }, {}, reset({ log: false }, "log")), {
    value: true,
    from: "workspace",
  });
});

test("the title of a workspace is not inherited by its panels", () => {
  assert.ok(!CASCADING.includes("title"));
  assert.deepEqual(resolved("title", { title: "A" }), { value: undefined, from: null });
});
