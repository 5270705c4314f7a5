import assert from "node:assert/strict";
import { test } from "node:test";
import { PALETTE } from "./palette.js";
import { COLOURS, coloursOutsidePalette, DASHES, FIRST_CUSTOM, styleOf, withCustomColours } from "./run_styles.js";

test("colours repeat with other dashes", () => {
  const seen = new Set(Array.from({ length: COLOURS * DASHES.length }, (_, order) => JSON.stringify(styleOf(order))));
  assert.equal(seen.size, COLOURS * DASHES.length);
});

test("a custom colour of the palette uses its index, another one extends the palette", () => {
  const styles = new Map([..."abc"].map((run, order) => [run, styleOf(order)]));
  const chosen = new Map([
    ["a", PALETTE[4].toUpperCase()],
    ["b", "#ff00aa"],
  ]);
  const custom = withCustomColours(styles, chosen);
  assert.equal(custom.get("a")?.colour, 4);
  assert.equal(custom.get("b")?.colour, FIRST_CUSTOM);
  assert.deepEqual(custom.get("c"), styles.get("c"));
  assert.deepEqual(coloursOutsidePalette(chosen), ["#ff00aa"]);
});
