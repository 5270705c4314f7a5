// Lays out graphs with ELK in a worker: expanded scopes from the innermost to the outermost, with a cache of layouts.

import ELK from "elkjs/lib/elk-api.js";
import { assetUrl } from "../../../data/client/assets.js";
import { boxesOf, forwardOnly } from "../model/boxes.js";
import { elkGraph, layoutOf, linesOf, sizesKey } from "../model/scope_layout.js";
import { labelOf } from "./node_label.js";

/** @typedef {import("../model/scope_layout.js").ScopeLayout} ScopeLayout */
/** @typedef {import("../model/scope_layout.js").Direction} Direction */
/** @typedef {import("../../../data/kinds/graphs.js").ScopeView} ScopeView */

/** @typedef {object} LayoutRequest
 * @property {string} graph unique among all graphs
 * @property {(scope: string) => Promise<ScopeView>} read
 * @property {ReadonlySet<string>} open
 * @property {boolean} isFolded whether equal children are drawn as one box
 * @property {boolean} isForward whether scopes that only training uses are omitted
 * @property {Direction} direction
 */

const MAX_CACHED = 400;

/** @type {InstanceType<typeof ELK> | null} */
let elk = null;
/** Finished and pending layouts by key. @type {Map<string, Promise<ScopeLayout>>} */
const layouts = new Map();

function layoutEngine() {
  return (elk ??= new ELK({
    algorithms: ["layered"],
    workerFactory: () => new Worker(assetUrl("elk-worker.min.js")),
  }));
}

/** Starts the worker and warms it up with a small layout. */
export function startWorker() {
  if (!elk) warmUp(20);
}

/** Lays out a synthetic graph, since the worker's code runs several times as fast once compiled.
 * @param {number} size */
export function warmUp(size) {
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
  const around = elkGraph("", [], new Map(), { lines: [], borderPorts: new Map() }, "down");
  layoutEngine()
    .layout({ ...around, children: [{ ...around.children[0], children, edges }] })
    .catch(() => (elk = null));
}

/** @param {LayoutRequest} request @param {string} [scope] the root by default @returns {Promise<ScopeLayout>} */
export async function layOut(request, scope = "") {
  const fullView = await request.read(scope);
  const view = request.isForward ? forwardOnly(fullView) : fullView;
  const boxes = boxesOf(view, request.open, request.isFolded);
  const opened = boxes.filter(({ kind, count, id }) => kind === "scope" && count === 1 && request.open.has(id));
  const layOutInner = async (/** @type {{id: string}} */ { id }) =>
    /** @type {[string, ScopeLayout]} */ ([id, await layOut(request, id)]);
  const inner = new Map(await Promise.all(opened.map(layOutInner)));
  const sizedBoxes = boxes.map((box) => ({ box, label: labelOf(box) }));
  const key = [
    request.graph,
    scope,
    request.isForward,
    request.direction,
    sizesKey(sizedBoxes, inner),
    ...[...inner.values()].map(keyOf),
  ].join("\n");
  const cached = layouts.get(key);
  if (cached) return cached;
  const pending = runLayout(view, sizedBoxes, inner, request.direction);
  if (layouts.size >= MAX_CACHED) layouts.clear();
  layouts.set(key, pending);
  pending.then(
    (result) => layoutKeys.set(result, key),
    () => layouts.delete(key),
  );
  return pending;
}

/** The key of each layout, which is part of the key of the enclosing scope. @type {WeakMap<ScopeLayout, string>} */
const layoutKeys = new WeakMap();
/** @param {ScopeLayout} layout */
const keyOf = (layout) => layoutKeys.get(layout) ?? layout.scope;

/**
 * @param {ScopeView} view @param {Parameters<typeof elkGraph>[1]} sizedBoxes
 * @param {ReadonlyMap<string, ScopeLayout>} inner @param {Direction} direction
 */
async function runLayout(view, sizedBoxes, inner, direction) {
  const scopeLines = linesOf(
    view,
    sizedBoxes.map(({ box }) => box),
    inner,
  );
  const reply = await layoutEngine().layout(elkGraph(view.name, sizedBoxes, inner, scopeLines, direction));
  return layoutOf(view, sizedBoxes, inner, scopeLines, reply, direction);
}
