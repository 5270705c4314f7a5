// The grid of the panels of a section: gridstack moves and resizes them and pushes others away; one column if narrow.

import { GridStack } from "gridstack";
import { render } from "lit-html";
import { COLUMNS } from "../../data/workspaces/workspace_check.js";

/** @typedef {import("./model/edit.js").Box} Box */
/** `content` is the template of the panel.
 * @typedef {{key: string, box: Box, content: () => unknown}} Item */

/** Pixels of a row, and between panels. */
const ROW = 80;
const GAP = 10;
/** Below this width the panels are one column. */
const NARROW = 480;

/** What the user does last: a drag or resize by the pointer, or nudges of one panel. Its changes are undone together. */
let gesture = "";
let pointerGestures = 0;

/** Its items are set as a property. `moved` gets a box for each of them in order when the user has changed one, `received`
 * also that of a panel that was dragged from another grid, and its place there. Both get the name of the gesture. */
export class PanelGrid extends HTMLElement {
  /** @type {GridStack | null} */
  #grid = null;
  /** @type {Map<string, HTMLElement>} */
  #elements = new Map();
  /** @type {readonly Item[]} */
  #items = [];
  #isApplying = false;
  /** @type {(boxes: Box[], gesture: string) => void} */
  moved = () => {};
  /** @type {(from: {section: number, at: number}, box: Box, boxes: Box[], gesture: string) => void} */
  received = () => {};
  #width = new ResizeObserver(() => this.#fit());

  connectedCallback() {
    this.classList.add("grid-stack");
    const options = {
      column: COLUMNS,
      cellHeight: ROW,
      margin: GAP / 2,
      animate: false,
      auto: false,
      draggable: { handle: ".panel-head", cancel: "button, a, input, select", scroll: true },
      resizable: { handles: "e, se, s" },
      acceptWidgets: true,
      minRow: 1,
    };
    this.#grid = GridStack.init(options, this);
    this.#grid?.on("dragstart resizestart", () => (gesture = `pointer ${++pointerGestures}`));
    this.#grid?.on("change", () => this.#report());
    this.#grid?.on("dropped", (_event, before, node) => this.#receive(before, node));
    this.#width.observe(this);
    this.#apply();
  }

  disconnectedCallback() {
    this.#width.disconnect();
    this.#grid?.destroy(false);
    this.#grid = null;
    for (const element of this.#elements.values()) element.remove();
    this.#elements.clear();
  }

  /** @param {readonly Item[]} items */
  set items(items) {
    this.#items = items;
    if (this.#grid) this.#apply();
  }

  #apply() {
    const grid = /** @type {GridStack} */ (this.#grid);
    this.#isApplying = true;
    grid.batchUpdate();
    const keys = new Set(this.#items.map(({ key }) => key));
    for (const [key, element] of this.#elements) {
      if (keys.has(key)) continue;
      grid.removeWidget(element, true, false);
      this.#elements.delete(key);
    }
    for (const item of this.#items) this.#place(grid, item);
    grid.batchUpdate(false);
    this.#isApplying = false;
    for (const { key, content } of this.#items)
      render(content(), /** @type {HTMLElement} */ (this.#elements.get(key)?.firstElementChild));
  }

  /** @param {GridStack} grid @param {Item} item */
  #place(grid, { key, box }) {
    const known = this.#elements.get(key);
    if (known) {
      if (!isAt(known, box)) grid.update(known, { ...box });
    } else {
      const element = document.createElement("div");
      element.className = "grid-stack-item";
      element.append(Object.assign(document.createElement("div"), { className: "grid-stack-item-content" }));
      this.append(element);
      this.#elements.set(key, element);
      grid.makeWidget(element, { ...box, id: key });
    }
    this.#elements.get(key)?.style.setProperty("order", String(box.y * COLUMNS + box.x));
    this.#elements.get(key)?.style.setProperty("--rows", String(box.h));
  }

  /** Moves or resizes a panel by cells. @param {string} key @param {Partial<Box>} by */
  nudge(key, { x = 0, y = 0, w = 0, h = 0 }) {
    gesture = `nudge ${key}`;
    const element = this.#elements.get(key);
    const node = nodeOf(element);
    if (!element || !node) return;
    const box = boxOf(node);
    const width = Math.max(1, Math.min(COLUMNS - box.x, box.w + w));
    this.#grid?.update(element, {
      x: Math.max(0, Math.min(COLUMNS - width, box.x + x)),
      y: Math.max(0, box.y + y),
      w: width,
      h: Math.max(1, box.h + h),
    });
  }

  #report() {
    if (this.#isApplying) return;
    const boxes = this.#boxes();
    if (boxes.length === this.#items.length) this.moved(boxes, gesture);
  }

  #boxes() {
    return this.#items.flatMap(({ key }) => {
      const node = nodeOf(this.#elements.get(key));
      return node ? [boxOf(node)] : [];
    });
  }

  /** The next items contain the panel; its element is made again.
   * @param {import("gridstack").GridStackNode | undefined} before in the other grid
   * @param {import("gridstack").GridStackNode} node */
  #receive(before, node) {
    const other = before?.grid?.el;
    if (!(other instanceof PanelGrid) || !node.el) return;
    const at = other.forget(String(node.id));
    const [box, boxes] = [boxOf(node), this.#boxes()];
    this.#isApplying = true;
    this.#grid?.removeWidget(node.el, true, false);
    this.#isApplying = false;
    if (at >= 0) this.received({ section: Number(other.dataset.section), at }, box, boxes, gesture);
  }

  /** Another grid has the element. Returns its place among the items. @param {string} key */
  forget(key) {
    this.#elements.delete(key);
    return this.#items.findIndex((item) => item.key === key);
  }

  #fit() {
    const isNarrow = this.clientWidth > 0 && this.clientWidth < NARROW;
    this.classList.toggle("stacked", isNarrow);
    this.#grid?.setStatic(isNarrow);
  }
}

/** @param {Element | undefined} element @returns {import("gridstack").GridStackNode | undefined} */
const nodeOf = (element) => /** @type {any} */ (element)?.gridstackNode;

/** @param {import("gridstack").GridStackNode} node @returns {Box} */
const boxOf = ({ x = 0, y = 0, w = 1, h = 1 }) => ({ x, y, w, h });

/** @param {Element} element @param {Box} box */
function isAt(element, box) {
  const node = nodeOf(element);
  return node?.x === box.x && node.y === box.y && node.w === box.w && node.h === box.h;
}

customElements.define("panel-grid", PanelGrid);
