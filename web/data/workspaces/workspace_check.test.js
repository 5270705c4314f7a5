import assert from "node:assert/strict";
import { test } from "node:test";
import { checkDocument, DocumentError, PANEL_KINDS } from "./workspace_check.js";

const panel = () => ({ kind: "lines", x: 0, y: 0, w: 4, h: 3, settings: { tags: ["loss"] } });
const valid = () => ({
  version: 1,
  sections: [
    { name: "A", collapsed: false, panels: [panel()], settings: {} },
    { name: "B", collapsed: true, panels: [panel(), panel(), panel()], settings: { smooth: 0.5 } },
  ],
  settings: { axis: "step" },
});

test("a valid document is returned unchanged", () => {
  assert.deepEqual(checkDocument(valid()), valid());
});

test("every kind of panel is accepted", () => {
  for (const kind of PANEL_KINDS) {
    const document = { ...valid(), sections: [{ ...valid().sections[0], panels: [{ ...panel(), kind }] }] };
    assert.equal(checkDocument(document).sections[0].panels[0].kind, kind);
  }
});

/** Every path of a document below its settings, with what replaces the value there.
 * @type {[string, (document: any) => void][]} */
const DAMAGE = [
  ["version", (each) => (each.version = 2)],
  ["sections", (each) => (each.sections = {})],
  ["settings", (each) => (each.settings = [])],
  ["sections[1]", (each) => (each.sections[1] = null)],
  ["sections[0].name", (each) => (each.sections[0].name = 3)],
  ["sections[0].collapsed", (each) => (each.sections[0].collapsed = "no")],
  ["sections[0].panels", (each) => (each.sections[0].panels = undefined)],
  ["sections[1].panels[2].kind", (each) => (each.sections[1].panels[2].kind = "pie")],
  ["sections[1].panels[2].x", (each) => (each.sections[1].panels[2].x = 12)],
  ["sections[1].panels[2].y", (each) => (each.sections[1].panels[2].y = -1)],
  ["sections[1].panels[2].w", (each) => (each.sections[1].panels[2].w = 13)],
  ["sections[1].panels[2].h", (each) => (each.sections[1].panels[2].h = 1.5)],
  ["sections[1].panels[2].settings", (each) => (each.sections[1].panels[2].settings = "")],
];

test("an invalid value is refused with its path", () => {
  for (const [path, damage] of DAMAGE) {
    const document = valid();
    damage(document);
    assert.throws(
      () => checkDocument(document),
      (error) =>
        error instanceof DocumentError && error.path === path && error.message.startsWith(`${path}: expected `),
    );
  }
});

test("a document that is no object is refused", () => {
  for (const value of [null, 1, "text", [], undefined]) assert.throws(() => checkDocument(value), DocumentError);
});
