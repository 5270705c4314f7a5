// The counts of a confusion matrix, from the rows of its table.

/** @typedef {import("./client.js").Samples} Samples */

/** @typedef {object} Counts
 * @property {string[]} names of the classes
 * @property {number[][]} counts by actual and predicted class
 * @property {number[]} actual samples of each class @property {number[]} predicted
 * @property {number} total @property {number} correct */

/** Whether a table is a confusion matrix. @param {string[]} columns */
export const isConfusion = (columns) => columns.join() === "actual,predicted,count";

/** The number of actual classes. @param {Samples["rows"]} rows */
export const classCount = (rows) => new Set(rows.map(({ cells }) => cells[0])).size;

/** @param {Samples["rows"]} rows @returns {Counts} */
export function countsOf(rows) {
  const places = new Map();
  for (const place of [0, 1]) for (const { cells } of rows) addName(places, String(cells[place]));
  const names = [...places.keys()];
  const counts = names.map(() => names.map(() => 0));
  for (const { cells } of rows)
    counts[places.get(String(cells[0]))][places.get(String(cells[1]))] += typeof cells[2] === "number" ? cells[2] : 0;
  const actual = counts.map((row) => sum(row));
  return {
    names,
    counts,
    actual,
    predicted: names.map((_, column) => sum(counts.map((row) => row[column]))),
    total: sum(actual),
    correct: sum(counts.map((row, place) => row[place])),
  };
}

/** @param {Map<string, number>} places @param {string} name */
const addName = (places, name) => places.has(name) || places.set(name, places.size);

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
