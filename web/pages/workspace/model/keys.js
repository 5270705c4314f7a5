// Keys of the sections and panels of a document, which has none: a changed one keeps the key of the one it replaces.

let count = 0;

export class Keys {
  /** @type {WeakMap<object, string>} */
  #keys = new WeakMap();
  /** @type {readonly object[]} */
  #before = [];

  /** The keys of a list, in order.
   * @param {readonly object[]} items @returns {string[]} */
  of(items) {
    const isSameLength = items.length === this.#before.length;
    const keys = items.map((item, at) => {
      const replaced = this.#before[at];
      const known = this.#keys.get(item);
      const key = known ?? (isSameLength && !items.includes(replaced) ? this.#keys.get(replaced) : undefined);
      return key ?? `key${++count}`;
    });
    items.forEach((item, at) => void this.#keys.set(item, keys[at]));
    this.#before = items;
    return keys;
  }
}
