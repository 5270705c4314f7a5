import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { colourDistance, DEUTERANOPIA, labDistance, PROTANOPIA, seenWith, TRITANOPIA } from "./colour_distance.js";
import { PALETTE } from "./palette.js";

/** @typedef {import("./colour_distance.js").Rgb} Rgb */

const styleSheet = readFileSync(new URL("../../app/tokens.css", import.meta.url), "utf8");
const [light, dark] = styleSheet
  .split(/:root\[data-theme="dark"\]/)
  .map((theme) => [...theme.matchAll(/--run-\d+: (#[0-9a-f]{6})/g)].map(([, colour]) => colour).slice(0, 24));
/** Of CIEDE2000: about 1 is just noticeable for large areas side by side; lines need more. */
const TOLD_APART = 6;
const TOLD_APART_WITHOUT_BLUE = 4;

/** The smallest distance of two colours. @param {string[]} colours @param {(colour: Rgb) => Rgb} [seen] */
function smallestDistance(colours, seen = (colour) => colour) {
  const all = colours.map((colour) => seen(rgbOf(colour)));
  return Math.min(...all.flatMap((colour, at) => all.slice(at + 1).map((other) => colourDistance(colour, other))));
}

/** @param {string} colour "#rrggbb" @returns {Rgb} */
const rgbOf = (colour) =>
  /** @type {Rgb} */ ([1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255));

test("distances are those that the authors of CIEDE2000 publish", () => {
  for (const [first, second, distance] of /** @type {const} */ ([
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[50, 2.5, 0], [50, 3.1736, 0.5854], 1],
    [[50, 2.5, 0], [73, 25, -18], 27.1492],
    [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
    [[22.7233, 20.0904, -46.694], [23.0331, 14.973, -42.5619], 2.0373],
    [[90.9257, -0.5406, -0.9208], [88.6381, -0.8985, -0.7239], 1.5381],
  ]))
    assert.ok(Math.abs(labDistance([...first], [...second]) - distance) < 1e-4, String(distance));
});

test("the palette has 24 colours in each theme, and notes store those of the light one", () => {
  assert.equal(PALETTE.length, 24);
  assert.deepEqual(light, PALETTE);
  assert.equal(new Set(dark).size, 24);
});

for (const [theme, colours] of Object.entries({ light, dark })) {
  test(`all colours of the ${theme} theme are distinguished, by colour-blind people too`, () => {
    assert.ok(smallestDistance(colours) > 2 * TOLD_APART);
    for (const vision of [PROTANOPIA, DEUTERANOPIA])
      assert.ok(smallestDistance(colours, seenWith(vision)) > TOLD_APART);
    assert.ok(smallestDistance(colours, seenWith(TRITANOPIA)) > TOLD_APART_WITHOUT_BLUE);
  });
}

test("two equal colours are noticed", () => {
  assert.equal(smallestDistance([...light, light[3]]), 0);
});
