// Natural order: "layer2" before "layer10". Intl.Collator has it too, but takes up to 50 ms to load.

/** A number sorts by its length, then by its digits; the first "0" keeps it between the signs before and behind digits.
 * @param {string} digits */
function numberKey(digits) {
  let zeros = 0;
  while (digits[zeros] === "0") zeros++;
  const significant = digits.slice(zeros);
  return `0${String.fromCharCode(significant.length + 1)}${significant}`;
}

/** A key to sort a name by, with `<`: digits by the number they form, letters without case, equal names by their code
 * units.
 * @param {string} name */
export const naturalKey = (name) => `${name.toLowerCase().replace(/\d+/g, numberKey)}\0${name}`;

/** For short lists: a long one is sorted faster by keys that are computed once.
 * @param {string} a @param {string} b */
export function compareNatural(a, b) {
  const [keyA, keyB] = [naturalKey(a), naturalKey(b)];
  return keyA < keyB ? -1 : keyA > keyB ? 1 : 0;
}

/** Compares values that are written as text: numbers by value, then other texts in natural order.
 * @param {string} a @param {string} b */
export function compareValues(a, b) {
  const [first, second] = [numberIn(a), numberIn(b)];
  const areTexts = Number(Number.isNaN(first)) - Number(Number.isNaN(second));
  return areTexts || (first < second ? -1 : first > second ? 1 : compareNatural(a, b));
}

/** NaN for what is no number. @param {string} text */
const numberIn = (text) => (text.trim() ? Number(text) : NaN);

/** @param {Iterable<string>} names */
export function sortedNaturally(names) {
  const keyed = Array.from(names, (name) => ({ name, key: naturalKey(name) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ name }) => name);
}
