// In which element of a long table each row is drawn: a row that stays keeps its own, else a click could hit another run.

export class RowSlots {
  /** By row, in their order. @type {ReadonlyMap<string, number>} */
  #slots = new Map();
  #next = 0;

  /** Where hardly a row stays, as after sorting or a jump, the others take the elements of those that stood in their places: that
   * costs less than making them anew.
   * @param {readonly string[]} rows that exist, each once @returns {readonly number[]} the element of each, as a number */
  give(rows) {
    const before = this.#slots;
    const stood = [...before];
    const now = new Set(rows);
    const areOthers = 4 * rows.filter((row) => before.has(row)).length < rows.length;
    const left = (/** @type {number} */ place) =>
      areOthers && stood[place] && !now.has(stood[place][0]) ? stood[place][1] : undefined;
    this.#slots = new Map(rows.map((row, place) => [row, before.get(row) ?? left(place) ?? this.#next++]));
    return [...this.#slots.values()];
  }
}
