import assert from "node:assert/strict";
import { test } from "node:test";
import { chartSvg } from "./chart_svg.js";

/** @param {Partial<import("./chart_svg.js").Scene>} more @param {number[]} ys */
const sceneOf = (more = {}, ys = [0, 1, 0]) =>
  /** @type {import("./chart_svg.js").Scene} */ ({
    title: "loss",
    note: "",
    width: 600,
    height: 300,
    axis: "step",
    x: [0, ys.length - 1],
    left: [Math.min(...ys), Math.max(...ys)],
    right: null,
    log: false,
    logX: false,
    lines: [
      {
        name: "run",
        colour: "#123456",
        dash: 0,
        right: false,
        xs: ys.map((_, x) => x),
        ys,
        raw: null,
        band: null,
        flag: null,
      },
    ],
    limits: [],
    colours: { surface: "#fff", grid: "#eee", text: "#000", label: "#444", damage: "#f00", warning: "#fa0" },
    ...more,
  });

/** The labels of the left axis. @param {string} svg */
const leftLabels = (svg) => [...svg.matchAll(/<text x="-8"[^>]*>([^<]*)<\/text>/g)].map(([, label]) => label);

test("counts have no ticks between whole numbers, other values have", () => {
  assert.deepEqual(leftLabels(chartSvg(sceneOf())), ["0", "1"]);
  assert.ok(leftLabels(chartSvg(sceneOf({}, [0, 0.25, 1]))).length > 2);
});

test("markup in titles and names is escaped, and control characters are replaced", () => {
  const svg = chartSvg(sceneOf({ title: '<script>"&\u0001' }));
  assert.ok(!svg.includes("<script>"));
  assert.ok(svg.includes("&#60;script&#62;&#34;&#38;\ufffd"));
});

test("a line has gaps at non-finite values, and triangles mark them", () => {
  const svg = chartSvg(sceneOf({ left: [0, 1] }, [0, NaN, 1, Infinity]));
  assert.equal([...svg.matchAll(/ d="(M[^"]*)" stroke="#123456" stroke-width="1.5"/g)][0][1].match(/M/g)?.length, 2);
  assert.equal(svg.match(/h-8Z/g)?.length, 2);
});

test("a legend of many lines is truncated and counts the rest", () => {
  const scene = sceneOf();
  const svg = chartSvg({ ...scene, lines: Array.from({ length: 70 }, () => scene.lines[0]) });
  assert.ok(svg.includes("+ 10</text>"));
});
