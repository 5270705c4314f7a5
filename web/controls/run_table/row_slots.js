// Assigns the rows of a long table to elements: a row that stays keeps its element, so that clicks hit the right run.

export class RowSlots {
  /** Slots by row, in order. @type {ReadonlyMap<string, number>} */
  #slots = new Map();
  #next = 0;

  /** If few rows stay, as after sorting, new rows reuse the elements of the rows that were in their places: that costs
   * less
   * than creating elements.
   * @param {readonly string[]} rows in order, each once @returns {readonly number[]} the slot of each */
  assign(rows) {
    const before = this.#slots;
    const previous = [...before];
    const now = new Set(rows);
    const areMostNew = 4 * rows.filter((row) => before.has(row)).length < rows.length;
    const freed = (/** @type {number} */ place) =>
      areMostNew && previous[place] && !now.has(previous[place][0]) ? previous[place][1] : undefined;
    this.#slots = new Map(rows.map((row, place) => [row, before.get(row) ?? freed(place) ?? this.#next++]));
    return [...this.#slots.values()];
  }
}
