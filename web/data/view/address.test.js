import assert from "node:assert/strict";
import { test } from "node:test";
import { changed, DEFAULT_VIEW, isReference, parseView, printView } from "./address.js";
import { PAGES } from "./page_list.js";

const letters = ["a", "/", ",", "\\", "&", "=", "#", " ", "+", "%", "é", "中", "1", "."];
const text = () => Array.from({ length: Math.random() * 6 }, () => pick(letters)).join("");
/** @template Value @param {readonly Value[]} values @returns {Value} */
const pick = (values) => values[Math.floor(Math.random() * values.length)];
const names = () => [...new Set(Array.from({ length: Math.random() * 4 }, () => `n${text()}`))];

/** @returns {import("./address.js").View} */
const anyView = () => ({
  page: pick(PAGES),
  runs: text(),
  tags: text(),
  selection: { mode: pick(["hide", "show"]), runs: new Set(names()) },
  axis: pick(["step", "relative", "active", "wall_time"]),
  log: pick([true, false]),
  smooth: pick([0, 0.5, 0.999]),
  zooms: Object.fromEntries(names().map((name) => [name, [-1.5, 1e9]])),
  closed: names(),
  focus: text(),
  open: pick([null, "", text()]),
  size: pick(["s", "m", "l"]),
  rail: pick(["", "open", "closed"]),
  theme: pick(["", "light", "dark"]),
  lang: pick(["", "en", "zh"]),
  saved: text(),
  own: Object.fromEntries(names().map((name) => [`page.${name}`, `v${text()}`])),
});

test("every view is restored from its hash", () => {
  for (let round = 0; round < 2000; round++) {
    const view = anyView();
    assert.deepEqual(parseView(printView(view)), view);
    assert.deepEqual(parseView(`#${printView(view)}`), view);
  }
});

test("the default view has an empty hash", () => {
  assert.equal(printView(DEFAULT_VIEW), "");
  assert.deepEqual(parseView(""), DEFAULT_VIEW);
});

test("invalid values become the defaults", () => {
  const view = parseView("#page=nowhere&x=y&smooth=2&zoom=5,1,loss&zoom=a,b,loss&zoom=1,2&size=xl&theme=pink&lang=fr");
  assert.deepEqual(view, { ...DEFAULT_VIEW, smooth: 0.999 });
});

test("another page opens without an enlarged card", () => {
  const view = { ...DEFAULT_VIEW, open: "loss" };
  assert.equal(changed(view, { page: "images" }).open, null);
  assert.equal(changed(view, { page: "scalars" }).open, "loss");
  assert.equal(changed(view, { page: "images", open: "acc" }).open, "acc");
});

test("a link, or a view without state, names what is to be opened", () => {
  for (const hash of ["#view=a", "link=b", "#link=b&theme=dark"]) assert.ok(isReference(hash), hash);
  for (const hash of ["", "#page=text", "#view=a&page=text"]) assert.ok(!isReference(hash), hash);
});
