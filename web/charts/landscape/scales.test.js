import assert from "node:assert/strict";
import { test } from "node:test";
import { colourOf, SCALES, shadeOf } from "./scales.js";

/** The relative luminance of WCAG 2. @param {string} css as rgb() */
function luminance(css) {
  const channels = (css.match(/[\d.]+/g) ?? []).slice(0, 3).map((text) => Number(text) / 255);
  const [red, green, blue] = channels.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test("lines contrast with light and dark pages by 3 to 1", () => {
  for (const name of SCALES) {
    for (let place = 0; place <= 1; place += 0.02) {
      assert.ok(1.05 / (luminance(colourOf(name, place, "line", false)) + 0.05) >= 3);
      assert.ok((luminance(colourOf(name, place, "line", true)) + 0.05) / 0.055 >= 3);
    }
  }
});

test("positions outside a scale have the colour of its ends", () => {
  for (const name of SCALES) {
    assert.deepEqual(shadeOf(name, -1), shadeOf(name, 0));
    assert.deepEqual(shadeOf(name, 2), shadeOf(name, 1));
  }
});
