// Gestures of one or two pointers: one drags, two pinch.

/** @typedef {{left: number, top: number}} Point */

/** Tracks the last position of each pressed pointer. */
export class PointerGestures {
  /** @type {Map<number, Point>} */
  #down = new Map();

  /** @param {number} id @param {Point} at */
  down(id, at) {
    this.#down.set(id, at);
  }

  /** @param {number} id */
  up(id) {
    this.#down.delete(id);
  }

  /** Returns the effect of a pointer's move: a translation, and a zoom factor around the midpoint.
   * @param {number} id @param {Point} at @returns {{right: number, down: number, factor: number, at: Point} | null} */
  move(id, at) {
    const before = this.#down.get(id);
    if (!before) return null;
    const old = spread([...this.#down.values()]);
    this.#down.set(id, at);
    const now = spread([...this.#down.values()]);
    return {
      right: now.at.left - old.at.left,
      down: now.at.top - old.at.top,
      factor: old.size && now.size ? now.size / old.size : 1,
      at: now.at,
    };
  }
}

/** Returns the midpoint and the distance of the first two points.
 * @param {Point[]} points */
function spread(points) {
  const [first, second = first] = points;
  return {
    at: { left: (first.left + second.left) / 2, top: (first.top + second.top) / 2 },
    size: Math.hypot(first.left - second.left, first.top - second.top),
  };
}
