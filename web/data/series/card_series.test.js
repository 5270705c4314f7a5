import assert from "node:assert/strict";
import { test } from "node:test";
import { markChanged, versionOf } from "../runs/run_versions.js";
import { Feed } from "./card_series.js";

const series = (/** @type {string} */ run) => /** @type {any} */ ({ run, band: null });

/** @param {Feed} feed @param {string[]} runs */
function fetchNow(feed, runs) {
  feed.begin(runs);
  feed.receive(runs, runs.map(versionOf), runs.map(series), 1, []);
}

test("runs are missing until they are fetched, and again when they have changed", () => {
  const feed = new Feed("loss");
  assert.deepEqual(feed.missing(["a", "b"]), ["a", "b"]);
  fetchNow(feed, ["a", "b"]);
  assert.deepEqual(feed.missing(["a", "b"]), []);

  markChanged(["b"]);
  assert.deepEqual(feed.missing(["a", "b"]), ["b"]);
  markChanged(null);
  assert.deepEqual(feed.missing(["a", "b"]), ["a", "b"]);
  assert.deepEqual([...feed.series.keys()], ["a", "b"]);
});

test("a run that changes while it is being fetched is fetched again", () => {
  const feed = new Feed("loss");
  const versions = ["a"].map(versionOf);
  feed.begin(["a"]);
  markChanged(["a"]);
  assert.deepEqual(feed.missing(["a"]), []);

  feed.receive(["a"], versions, [series("a")], 1, []);
  assert.deepEqual(feed.missing(["a"]), ["a"]);
});

test("a zoom keeps the series of the whole range, and returns to it without a request", () => {
  const feed = new Feed("loss");
  const whole = feed.query;
  fetchNow(feed, ["a"]);
  const before = feed.series.get("a");
  feed.setQuery({ ...whole, window: [0, 10] });
  assert.deepEqual(feed.missing(["a"]), ["a"]);
  fetchNow(feed, ["a"]);
  assert.notEqual(feed.series.get("a"), before);

  feed.setQuery(whole);
  assert.equal(feed.series.get("a"), before);
  assert.deepEqual(feed.missing(["a"]), []);
});

test("only series of the current query are held", () => {
  const feed = new Feed("loss");
  const whole = feed.query;
  fetchNow(feed, ["a", "b"]);
  assert.deepEqual(feed.held(["b", "c"]), [feed.series.get("b")].flat());
  feed.setQuery({ ...whole, smooth: "ema:0.9" });
  assert.deepEqual(feed.held(["a", "b"]), []);
  fetchNow(feed, ["a"]);
  assert.deepEqual(feed.held(["a", "b"]), [feed.series.get("a")].flat());
  feed.invalidate();
  assert.deepEqual(feed.held(["a", "b"]), []);
});

test("a band is fetched with all its runs", () => {
  const feed = new Feed("loss");
  feed.setQuery({
    ...feed.query,
    grouped: { how: { by: "none", centre: "mean", band: "std" }, runs: ["a", "b", "c"] },
  });
  fetchNow(feed, ["a", "b", "c"]);
  markChanged(["b"]);
  assert.deepEqual(feed.missing(["a", "b", "c"]), ["a", "b", "c"]);
});

test("a failed run is not requested again before it changes", () => {
  const feed = new Feed("loss");
  feed.begin(["a"]);
  feed.fail(["a"], ["a"].map(versionOf), new Error("refused"));
  assert.deepEqual(feed.missing(["a"]), []);
  markChanged(["a"]);
  assert.deepEqual(feed.missing(["a"]), ["a"]);
});
