import assert from "node:assert/strict";
import { test } from "node:test";
import { valueFilter } from "./value_filter.js";

/** @param {string} text @param {import("./value_filter.js").Value[]} values
 * @param {import("./value_filter.js").ValueKind} [kind] */
const kept = (text, values, kind = "number") => values.filter(valueFilter(text, kind).keeps);

test("comparisons and ranges keep numbers, and never text or missing values", () => {
  const values = [0.1, 0.5, 0.9, NaN, "0.7", null];
  assert.deepEqual(kept(">0.5", values), [0.9]);
  assert.deepEqual(kept(">=0.5", values), [0.5, 0.9]);
  assert.deepEqual(kept("≤ 0.5", values), [0.1, 0.5]);
  assert.deepEqual(kept("0.1..0.5", values), [0.1, 0.5]);
  assert.deepEqual(kept("..0.5", values), [0.1, 0.5]);
  assert.deepEqual(kept("0.5..", values), [0.5, 0.9]);
  assert.deepEqual(kept("=nan", values), [NaN]);
});

test("numbers in single precision match their decimal text", () => {
  const stored = Math.fround(0.1);
  assert.notEqual(stored, 0.1);
  assert.deepEqual(kept("=0.1", [stored]), [stored]);
  assert.deepEqual(kept(">=0.1", [Math.fround(0.1)]), [stored]);
  assert.deepEqual(kept(">0.1", [stored]), []);
});

test("text matches anywhere and ignores case; = compares all of it", () => {
  assert.deepEqual(kept("ad", ["Adam", "sgd", true], "text"), ["Adam"]);
  assert.deepEqual(kept("=adam", ["Adam", "adamw"], "text"), ["Adam"]);
  assert.deepEqual(kept("!=sgd", ["Adam", "sgd"], "text"), ["Adam"]);
});

test("and binds more strongly than or", () => {
  assert.deepEqual(kept("<1 or >5 and <9", [0, 3, 7, 10]), [0, 7]);
});

test("units, durations and times are numbers", () => {
  assert.deepEqual(kept(">1.5k", [1000, 2000]), [2000]);
  assert.deepEqual(kept(">1h30m", [5000, 6000], "duration"), [6000]);
  const noon = new Date("2026-11-21T12:00:00").getTime() / 1000;
  assert.deepEqual(kept(">2026-11-21 09:30", [noon - 10_000, noon], "time"), [noon]);
});

test("an invalid filter names the invalid part and keeps everything", () => {
  const { keeps, error } = valueFilter(">0.1 and >wrong", "number");
  assert.equal(error, ">wrong");
  assert.ok(keeps(null));
});
