import assert from "node:assert/strict";
import { test } from "node:test";
import { boxAt, neighbourOf, sceneOf, traceFrom } from "./scene.js";
import { portsOf } from "./scope_layout.js";

/** @typedef {import("./scope_layout.js").ScopeLayout} ScopeLayout */
/** @typedef {import("./scope_layout.js").LayoutBox} LayoutBox */

/** @param {string} id @param {string} scope @param {number} x @param {number} y @param {ScopeLayout | null} [inner]
 * @returns {LayoutBox} */
const box = (id, scope, x, y, inner = null) => ({
  box: { id, scope, kind: inner ? "scope" : "operator", members: [], count: 1 },
  label: { text: id, note: "", width: 40, height: 20 },
  x,
  y,
  width: inner?.width ?? 40,
  height: inner?.height ?? 20,
  inner,
});

/** @param {string} from @param {string} to */
const line = (from, to) => ({
  from,
  to,
  control: false,
  count: 1,
  flows: [],
  points: [
    { x: 1, y: 2 },
    { x: 3, y: 8 },
  ],
});

/** @param {string} scope @param {LayoutBox[]} boxes @param {ReturnType<typeof line>[]} lines @returns {ScopeLayout} */
const layout = (scope, boxes, lines) => ({ scope, width: 300, height: 200, boxes, lines, ports: [], omittedEdges: 0 });

/** x -> s(a -> b) -> y, where s is expanded. */
function nested() {
  const [enter, leave] = [`${portsOf("s", "in")}x`, `${portsOf("s", "out")}y`];
  const inner = layout(
    "s",
    [box("s/a", "s", 10, 30), box("s/b", "s", 10, 90)],
    [line(enter, "s/a"), line("s/a", "s/b"), line("s/b", leave)],
  );
  return sceneOf(
    layout(
      "",
      [box("x", "", 5, 0), box("s", "", 5, 50, inner), box("y", "", 5, 300)],
      [line("x", enter), line(leave, "y")],
    ),
  );
}

test("boxes and lines of expanded scopes have absolute positions", () => {
  const scene = nested();
  const inside = /** @type {import("./scene.js").PlacedBox} */ (scene.byId.get("s/b"));
  assert.deepEqual([inside.x, inside.y, inside.depth], [15, 140, 1]);
  const inner = scene.lines.find(({ to }) => to === "s/b");
  assert.deepEqual([inner?.left, inner?.top, inner?.right, inner?.bottom], [6, 52, 8, 58]);
});

test("a point is in the innermost box around it", () => {
  const scene = nested();
  assert.equal(boxAt(scene, { x: 20, y: 145 })?.id, "s/b");
  assert.equal(boxAt(scene, { x: 200, y: 145 })?.id, "s");
  assert.equal(boxAt(scene, { x: 20, y: 40 }), null);
});

test("a trace passes through the ports of expanded scopes", () => {
  const scene = nested();
  assert.deepEqual([...traceFrom(scene, "y", "in").boxes], ["s/b", "s/a", "x"]);
  assert.deepEqual([...traceFrom(scene, "s", "in").boxes], ["x"]);
  assert.deepEqual([...traceFrom(scene, "x", "out", true).boxes], ["s/a"]);
});

test("a trace reaches what repeated relaxation reaches, for random graphs", () => {
  let seed = 3;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let round = 0; round < 100; round++) {
    const names = Array.from({ length: 12 }, (_, i) => `n${i}`);
    const lines = names.flatMap((from) => names.flatMap((to) => (random() < 0.1 ? [line(from, to)] : [])));
    const scene = sceneOf(
      layout(
        "",
        names.map((name, i) => box(name, "", 50 * i, 0)),
        lines,
      ),
    );
    const reached = new Set(["n0"]);
    for (let size = 0; size !== reached.size; ) {
      size = reached.size;
      for (const { from, to } of lines) if (reached.has(from)) reached.add(to);
    }
    reached.delete("n0");
    assert.deepEqual(new Set(traceFrom(scene, "n0", "out").boxes), reached);
  }
});

test("arrow keys move along edges, and between siblings", () => {
  const scene = sceneOf(
    layout(
      "",
      [box("top", "", 100, 0), box("left", "", 0, 60), box("right", "", 110, 60)],
      [line("top", "left"), line("top", "right")],
    ),
  );
  const from = (/** @type {string} */ id) => /** @type {import("./scene.js").PlacedBox} */ (scene.byId.get(id));
  assert.equal(neighbourOf(scene, from("top"), "ahead", true)?.id, "right");
  assert.equal(neighbourOf(scene, from("left"), "after", true)?.id, "right");
  assert.equal(neighbourOf(scene, from("left"), "before", true), null);
  assert.equal(neighbourOf(scene, from("right"), "behind", true)?.id, "top");
});
