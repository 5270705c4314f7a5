// One or two pointers on a picture: one drags it, two pinch it.

/** @typedef {{left: number, top: number}} Point */

/** Remembers where each pointer that is down was last. */
export class Hands {
  /** @type {Map<number, Point>} */
  #down = new Map();

  /** @param {number} id @param {Point} at */
  put(id, at) {
    this.#down.set(id, at);
  }

  /** @param {number} id */
  lift(id) {
    this.#down.delete(id);
  }

  /** What a move of one pointer does: by how much the picture moves, and grows around its middle.
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

/** The middle of the points, and how far the first two are apart.
 * @param {Point[]} points */
function spread(points) {
  const [one, other = one] = points;
  return {
    at: { left: (one.left + other.left) / 2, top: (one.top + other.top) / 2 },
    size: Math.hypot(one.left - other.left, one.top - other.top),
  };
}
