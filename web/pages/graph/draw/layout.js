// Lays graphs out: opened scopes from the innermost to the outermost, each by ELK in a worker, none twice.

import ELK from "elkjs/lib/elk-api.js";
import { boxesOf, forwardOnly } from "../model/boxes.js";
import { elkGraph, laidOf, linesOf, sizesKey } from "../model/elk.js";
import { faceOf } from "./node_label.js";

/** @typedef {import("../model/elk.js").Laid} Laid */
/** @typedef {import("../model/elk.js").Direction} Direction */
/** @typedef {import("../../../data/graphs.js").ScopeView} ScopeView */

/** @typedef {object} Wanted
 * @property {string} graph names it among all graphs
 * @property {(scope: string) => Promise<ScopeView>} read
 * @property {ReadonlySet<string>} open
 * @property {boolean} isFolded are those that are alike one box?
 * @property {boolean} isForward without what only training needs
 * @property {Direction} direction
 */

const MOST_KNOWN = 400;

/** @type {InstanceType<typeof ELK> | null} */
let elk = null;
/** Layouts that were made, or are being made. @type {Map<string, Promise<Laid>>} */
const known = new Map();

function begun() {
  return (elk ??= new ELK({
    algorithms: ["layered"],
    workerFactory: () => new Worker(new URL("./elk-worker.min.js", import.meta.url)),
  }));
}

/** Lets the worker begin. */
export function warmUp() {
  if (!elk) practise(20);
}

/** Lays out a graph that nobody sees: what the worker has done before it does several times as fast.
 * @param {number} size */
export function practise(size) {
  const children = Array.from({ length: size }, (_, place) => ({
    id: String(place),
    width: 60 + (place % 5) * 20,
    height: 30,
  }));
  const targets = (/** @type {number} */ place) =>
    [place + 1, place + 2 + ((place * 7) % 11), place + 3 + ((place * 5) % 23)].filter((target) => target < size);
  const edges = children.flatMap(({ id }, place) =>
    targets(place).map((target) => ({ id: `${id}-${target}`, sources: [id], targets: [String(target)] })),
  );
  const around = elkGraph("", [], new Map(), { lines: [], own: new Map() }, "down");
  begun()
    .layout({ ...around, children: [{ ...around.children[0], children, edges }] })
    .catch(() => (elk = null));
}

/** @param {Wanted} wanted @param {string} [scope] the outermost unless told @returns {Promise<Laid>} */
export async function layOut(wanted, scope = "") {
  const whole = await wanted.read(scope);
  const view = wanted.isForward ? forwardOnly(whole) : whole;
  const boxes = boxesOf(view, wanted.open, wanted.isFolded);
  const opened = boxes.filter(({ kind, count, id }) => kind === "scope" && count === 1 && wanted.open.has(id));
  const inner = new Map(
    await Promise.all(opened.map(async ({ id }) => /** @type {[string, Laid]} */ ([id, await layOut(wanted, id)]))),
  );
  const faces = boxes.map((box) => ({ box, face: faceOf(box) }));
  const key = [
    wanted.graph,
    scope,
    wanted.isForward,
    wanted.direction,
    sizesKey(faces, inner),
    ...[...inner.values()].map(keyOf),
  ].join("\n");
  const made = known.get(key);
  if (made) return made;
  const making = laid(view, faces, inner, wanted.direction);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, making);
  making.then(
    (result) => keys.set(result, key),
    () => known.delete(key),
  );
  return making;
}

/** What each layout was made of: a scope around it is laid out anew when that changes. @type {WeakMap<Laid, string>} */
const keys = new WeakMap();
/** @param {Laid} laid */
const keyOf = (laid) => keys.get(laid) ?? laid.scope;

/** @param {ScopeView} view @param {Parameters<typeof elkGraph>[1]} faces @param {ReadonlyMap<string, Laid>} inner @param {Direction} direction */
async function laid(view, faces, inner, direction) {
  const drawn = linesOf(
    view,
    faces.map(({ box }) => box),
    inner,
  );
  const reply = await begun().layout(elkGraph(view.name, faces, inner, drawn, direction));
  return laidOf(view, faces, inner, drawn, reply, direction);
}
