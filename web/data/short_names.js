// Short names: without what all names share, and cut in the middle, so that what distinguishes them stays.

/** What all names begin and end with, whole words only. @typedef {{start: string, end: string}} Shared */

/** Ends a word: "digits-lr=0.1_a" has three. The minus of "lr=-3" and of "1e-3" does not. */
const WORD_END = /[/_ ,;:|+]|(?<![=(]|\d[eE])-/g;
/** A tail begins with a word if that has this many characters, with its separator. */
const SHORTEST_TAIL = 4;
const LONGEST_TAIL = 11;
const PLAIN_TAIL = 6;

/** @param {readonly string[]} names @returns {Shared} */
export function sharedParts(names) {
  const [first = ""] = names;
  if (names.length < 2) return { start: "", end: "" };
  const start = first.slice(0, atWordEnd(first, commonStart(names)));
  const rests = names.map((name) => name.slice(start.length));
  return { start, end: atWordStart(rests[0], commonEnd(rests)) };
}

/** @param {string} name @param {Shared} shared the name itself if it lacks a part */
export const withoutShared = (name, { start, end }) =>
  name.startsWith(start) && name.endsWith(end) && name.length > start.length + end.length
    ? name.slice(start.length, name.length - end.length)
    : name;

/** @param {readonly string[]} names */
function commonStart(names) {
  let length = Math.min(...names.map((name) => name.length)) - 1;
  for (const name of names) while (!name.startsWith(names[0].slice(0, length))) length--;
  return length;
}

/** @param {readonly string[]} names */
function commonEnd(names) {
  let length = Math.min(...names.map((name) => name.length)) - 1;
  for (const name of names) while (!name.endsWith(names[0].slice(names[0].length - length))) length--;
  return Math.max(0, length);
}

/** The length of the longest start of a name that ends with a word. @param {string} name @param {number} most */
function atWordEnd(name, most) {
  const ends = [...name.matchAll(WORD_END)].map(({ index }) => index + 1).filter((end) => end <= most);
  return ends.at(-1) ?? 0;
}

/** The longest end of a name that begins with the separator of a word. @param {string} name @param {number} most */
function atWordStart(name, most) {
  const begin = [...name.matchAll(WORD_END)].map(({ index }) => index).find((at) => at > 0 && at >= name.length - most);
  return begin === undefined ? "" : name.slice(begin);
}

/** Splits a name into a head, which may be cut at its end, and a tail, which stays: the last word, if it is short.
 * @param {string} name @returns {[head: string, tail: string]} */
export function headAndTail(name) {
  const letters = [...name];
  if (letters.length <= 2 * PLAIN_TAIL) return [name, ""];
  const word = [...name.matchAll(WORD_END)].at(-1)?.index ?? 0;
  const length = name.length - word;
  const tail =
    word > 0 && length >= SHORTEST_TAIL && length <= LONGEST_TAIL
      ? name.slice(word)
      : letters.slice(-PLAIN_TAIL).join("");
  return [name.slice(0, name.length - tail.length), tail];
}

/** Cuts a name in the middle.
 * @param {string} name @param {number} most characters */
export function cutMiddle(name, most) {
  const letters = [...name];
  if (letters.length <= most) return name;
  const start = Math.ceil((most - 1) * 0.6);
  return `${letters.slice(0, start).join("")}…${letters.slice(start + 1 - most).join("")}`;
}
