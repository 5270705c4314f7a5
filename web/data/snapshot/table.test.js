import assert from "node:assert/strict";
import { test } from "node:test";
import { reduced } from "./columns.js";
import { pack, unpack } from "./packing.js";
import { ReplyTable, requestOf } from "./table.js";

const RUNS = ["a", "</script>", "__proto__", "constructor"];

/** @param {string} tag @param {string} run @param {number} count */
const seriesOf = (tag, run, count) => ({
  tag,
  run,
  rank: 0,
  step: Float64Array.from({ length: count }, (_, at) => at),
  wall_time: Float64Array.from({ length: count }, (_, at) => 100 + at),
  value: Float64Array.from({ length: count }, (_, at) => (at === 3 ? NaN : 10 - at)),
  smoothed: [],
});

/** @param {object} body */
const scalars = (body) => requestOf("scalars", JSON.stringify(body));

test("what was packed is the same when it is unpacked, whatever its names and numbers", async () => {
  const value = {
    $: ["Map", 1],
    map: new Map([["__proto__", [1, NaN, -Infinity, null, "</script>"]]]),
    arrays: [new Float64Array([1, NaN]), new Int32Array([-1]), new BigInt64Array([2n ** 60n]), new Float32Array([0.5])],
    bytes: new Uint8Array([0, 255]).buffer,
    nested: { $: { $: [] } },
  };
  const text = await pack(value);
  assert.match(text, /^[A-Za-z0-9+/=]+$/);
  assert.deepEqual(await unpack(text), value);
});

test("any selection of recorded runs and tags is answered, in any batches", async () => {
  const table = new ReplyTable();
  for (const tag of ["x", "y"]) {
    const found = RUNS.filter((run) => tag === "x" || run !== "a").map((run) => seriesOf(tag, run, 5));
    table.add(scalars({ tag: [tag], run: RUNS, points: 100 }), { revision: 1, series: found, missing: [] });
  }
  const { content } = await unpack(await pack({ content: table.content }));
  const opened = new ReplyTable(content);
  for (const runs of [RUNS, ["__proto__"], ["constructor", "a"], []]) {
    const reply = opened.answer(scalars({ tag: ["x", "y"], run: runs, points: 7 }));
    const names = reply.series.map((/** @type {any} */ each) => `${each.tag} ${each.run}`).sort();
    const expected = [...runs.map((run) => `x ${run}`), ...runs.filter((run) => run !== "a").map((run) => `y ${run}`)];
    assert.deepEqual(names, expected.sort());
  }
});

test("what was not recorded has no answer", () => {
  const table = new ReplyTable();
  table.add(scalars({ tag: ["x"], run: ["a"] }), { series: [seriesOf("x", "a", 5)] });
  table.add(requestOf("histograms?run=a&tag=x"), { histograms: [] });
  for (const body of [
    { tag: ["z"], run: ["a"] },
    { tag: ["x"], run: ["b"] },
    { tag: ["x"], run: ["a"], smooth: "ema:0.5" },
  ])
    assert.equal(table.answer(scalars(body)), undefined);
  assert.equal(table.answer(requestOf("histograms?run=a&tag=y")), undefined);
  assert.equal(table.answer(requestOf("runs/columns", "{}")), undefined);
});

test("a zoom is answered by the points of its window, from the narrowest recorded series that contains it", () => {
  const table = new ReplyTable();
  const fine = { ...seriesOf("x", "a", 5), rank: 7 };
  table.add(scalars({ tag: ["x"], run: ["a"] }), { series: [seriesOf("x", "a", 5)] });
  table.add(scalars({ tag: ["x"], run: ["a"], lo: 1, hi: 3, axis: "step" }), { series: [fine] });
  const ask = (/** @type {object} */ window) => table.answer(scalars({ tag: ["x"], run: ["a"], ...window })).series[0];
  assert.equal(ask({ lo: 1, hi: 2 }).rank, 7);
  assert.deepEqual([...ask({ lo: 1, hi: 2 }).step], [1, 2]);
  assert.equal(ask({ lo: 0, hi: 2 }).rank, 0);
  assert.equal(ask({}).rank, 0);
  assert.deepEqual([...ask({ lo: 103, hi: 200, axis: "wall_time" }).step], [3, 4]);
  const { min, min_step: at, max } = ask({ lo: 2, hi: 4 });
  assert.deepEqual([min, at, max], [6, 4, 8]);
});

test("a poorer reply does not replace a richer one", () => {
  const table = new ReplyTable();
  table.add(scalars({ tag: ["x"], run: ["a"] }), { series: [seriesOf("x", "a", 5)] });
  const last = { ...seriesOf("x", "a", 9), step: [], wall_time: [] };
  table.add(scalars({ tag: ["x"], run: ["a"], column: ["value"] }), { series: [last] });
  assert.equal(table.answer(scalars({ tag: ["x"], run: ["a"] })).series[0].step.length, 5);
});

test("rows of runs are answered one by one", () => {
  const table = new ReplyTable();
  table.add(requestOf("overview", JSON.stringify({ run: RUNS, metric: ["x"] })), {
    runs: RUNS.slice(1).map((run) => ({ run })),
    missing: [],
  });
  const ask = (/** @type {string[]} */ run) =>
    table.answer(requestOf("overview", JSON.stringify({ metric: ["x"], run })));
  assert.deepEqual(ask(["__proto__", "a"]).runs, [{ run: "__proto__" }]);
  assert.equal(ask(["other"]), undefined);
});

test("the tags of any recorded runs are counted together", () => {
  const table = new ReplyTable();
  const tags = RUNS.map((run) => ({ run, plugin: "scalar", tag: run === "a" ? "x" : "y" }));
  table.add(requestOf("tags", JSON.stringify({ plugin: ["scalar"], run: RUNS })), { tags });
  const ask = (/** @type {string[]} */ run) =>
    table.answer(requestOf("tags", JSON.stringify({ plugin: ["scalar"], run, together: true })));
  assert.deepEqual(ask(RUNS).tags, [
    { plugin: "scalar", tag: "x", runs: 1 },
    { plugin: "scalar", tag: "y", runs: RUNS.length - 1 },
  ]);
  assert.deepEqual(ask(["a"]), { tags: [{ plugin: "scalar", tag: "x", runs: 1 }], total: 1 });
  assert.equal(ask(["other"]), undefined);
});

test("columns of all runs are reduced to those of some", () => {
  const reply = /** @type {any} */ ({
    runs: "a\0b\0c",
    total: 3,
    since: null,
    fact: {
      started: { row: null, number: [1, 2, 3] },
      ended: { row: [1, 2], number: [20, 30] },
      state: { code: [0, -1, 1], value: ["running", "secret"] },
    },
  });
  const kept = reduced(reply, ["b", "a"]);
  assert.equal(kept.runs, "a\0b");
  assert.deepEqual(kept.fact, {
    started: { row: null, number: [1, 2] },
    ended: { row: [1], number: [20] },
    state: { code: [0, -1], value: ["running"] },
  });
});

test("the list of runs is answered with the columns that were recorded, of several requests", () => {
  const table = new ReplyTable();
  const runs = { runs: "a", total: 1, since: null, revision: 1 };
  table.add(requestOf("runs/columns", "{}"), { ...runs, fact: { started: { row: null, number: [1] } } });
  table.add(requestOf("runs/columns", "{}"), { ...runs, last: { x: { row: null, number: [2] } } });
  const reply = table.answer(requestOf("runs/columns", JSON.stringify({ fact: ["started"], last: ["x"], since: 7 })));
  assert.deepEqual([reply.since, reply.fact.started.number, reply.last.x.number], [null, [1], [2]]);
  assert.equal(table.answer(requestOf("runs/columns", JSON.stringify({ last: ["y"] }))), undefined);
});
