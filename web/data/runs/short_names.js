// Short names: of each name the words that distinguish it among the names it is shown with, whole numbers always.

/** The parts of a name: words, and what is written before each of them. A key and its value are one word, as are letters
 * with the number that follows them: "qwen2.5-7b_lr=2e-5" has three.
 * @typedef {{name: string, words: string[], joints: string[]}} Parts */

/** Letters: anything but digits and what separates words. */
const LETTERS = String.raw`[^\d\s_\-/.=,:;|+@]+`;
const NUMBER = String.raw`\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?`;
const VALUE = String.raw`(?<==)[-+]?\.?${NUMBER}`;
/** Of one or two letters, as in "7b" and "10k". */
const UNIT = String.raw`(?:(?<=\d)\p{L}{1,2}(?![\p{L}\d=]))?`;
const WORD = new RegExp(`(?:${LETTERS}=)?(?:${VALUE}|(?:${LETTERS})?${NUMBER}|${LETTERS})${UNIT}`, "gu");
const NUMBERS = new RegExp(NUMBER, "g");
const GAP = "…";
/** Leaving out this many characters makes a text no clearer: inside, and at its ends. */
const SMALL_GAP = 6;
const SMALLEST_SAVING = 3;
/** A name may be this much longer than its budget if it needs all of its words. */
const SLACK = 1.1;
/** Fewer letters of a word than this say nothing. */
const FEWEST_LETTERS = 3;
/** Among more names, rare words are not looked for: names of so many runs differ in numbers. */
const MAX_COMPARED = 5000;

/** Of more names, only the folders that all are in are left out: it takes seconds to compare a million words. */
export const MAX_SHORTENED = 20_000;

/** A node of the tree of all names, word by word.
 * @typedef {{next: Map<string, Node> | null, isName: boolean}} Node */

/** What shortening needs of a name: the places of the words that it must have, and of those that it may have.
 * @typedef {{parts: Parts, kept: number[], further: number[]}} Draft */

/** Prepares names, all different, for shortening. @param {readonly string[]} names @returns {Draft[]} */
export function draftNames(names) {
  const all = names.map(partsOf);
  const isVarying = varyingWords(all);
  const distinguishing = distinguishingWords(all);
  const rare = names.length > MAX_COMPARED ? () => [] : rareWords(all, distinguishing);
  return all.map((parts, place) => {
    const kept = withContext(parts, distinguishing[place]);
    return { parts, kept, further: [...isVarying(parts), ...rare(parts, distinguishing[place])] };
  });
}

/**
 * Returns a short text for each name: no two are equal, none is empty, and no number is cut. A text has the words in
 * which names that begin alike differ; and, while it fits the budget, the words that vary among names of one pattern,
 * and rare ones.
 * @param {Draft[]} drafts
 * @param {number} budget characters of a text; more are used only where shorter texts would be equal
 * @returns {Map<string, string>} by name
 */
export function shortNames(drafts, budget) {
  const texts = drafts.map(({ parts, kept, further }) => [
    fitted(parts, filled(parts, kept, further, budget), budget),
    textOf(parts, kept),
    parts.name,
  ]);
  return new Map(unequal(texts).map((text, place) => [drafts[place].parts.name, text]));
}

/** Returns how many characters the folders have that all names are in. @param {readonly string[]} names */
export function sharedFolders([first = "", ...others]) {
  let shared = first;
  for (const name of others) while (!name.startsWith(shared)) shared = shared.slice(0, -1);
  return shared.lastIndexOf("/", first.length - 2) + 1;
}

/** Short texts of names that occur once in a while. @param {readonly string[]} names @param {number} budget */
export const shortened = (names, budget) => shortNames(draftNames([...new Set(names)]), budget);

/** @param {string} name @returns {Parts} */
export function partsOf(name) {
  const words = [];
  const joints = [];
  let end = 0;
  for (const { 0: word, index } of name.matchAll(WORD)) {
    joints.push(name.slice(end, index));
    words.push(word);
    end = index + word.length;
  }
  return { name, words, joints };
}

/** Returns the places of the words in which each name differs from one that has the same words before.
 * @param {Parts[]} all @returns {number[][]} */
export function distinguishingWords(all) {
  /** @type {Node} */
  const root = { next: null, isName: false };
  for (const { words } of all) {
    let node = root;
    for (const word of words) {
      node.next ??= new Map();
      const next = node.next.get(word) ?? { next: null, isName: false };
      node.next.set(word, next);
      node = next;
    }
    node.isName = true;
  }
  return all.map(({ words }) => {
    /** @type {number[]} */
    const kept = [];
    let node = root;
    words.forEach((word, at) => {
      const next = /** @type {Map<string, Node>} */ (node.next);
      if (next.size + Number(node.isName) > 1) kept.push(at);
      node = /** @type {Node} */ (next.get(word));
    });
    return kept;
  });
}

/** Returns the places of the words that vary among the names that are equal but for numbers and values.
 * @param {Parts[]} all @returns {(parts: Parts) => number[]} */
function varyingWords(all) {
  const patternOf = (/** @type {Parts} */ { words, joints }) =>
    words.map((word, at) => joints[at] + word.replace(/=.*/, "=").replace(NUMBERS, "0")).join("");
  /** @type {Map<string, {first: string[], varying: Set<number>}>} */
  const patterns = new Map();
  const found = new Map(
    all.map((parts) => {
      const pattern = patternOf(parts);
      const seen = patterns.get(pattern) ?? { first: parts.words, varying: new Set() };
      patterns.set(pattern, seen);
      for (const [at, word] of parts.words.entries()) if (word !== seen.first[at]) seen.varying.add(at);
      return [parts, seen];
    }),
  );
  return (parts) => [...(found.get(parts)?.varying ?? [])].sort((a, b) => a - b);
}

/** Returns the places of words with letters that at most half of the names have, the rarest first, without those that
 * all names with the same first distinguishing word have; all words of a single name.
 * @param {Parts[]} all @param {number[][]} distinguishing @returns {(parts: Parts, words: number[]) => number[]} */
function rareWords(all, distinguishing) {
  if (all.length === 1) return ({ words }) => words.map((_, at) => at);
  const total = new Counts();
  /** @type {Map<string | undefined, Counts>} */
  const kinds = new Map();
  all.forEach(({ words }, place) => {
    const first = words[distinguishing[place][0]];
    const kind = kinds.get(first) ?? new Counts();
    kinds.set(first, kind);
    total.add(words);
    kind.add(words);
  });
  return ({ words }, [first]) => {
    const kind = /** @type {Counts} */ (kinds.get(words[first]));
    return words
      .map((word, at) => ({ at, count: total.of(word), isShared: kind.names > 1 && kind.of(word) === kind.names }))
      .filter(({ at, count, isShared }) => count * 2 <= all.length && !isShared && hasLetter(words[at]))
      .sort((a, b) => a.count - b.count)
      .map(({ at }) => at);
  };
}

/** How many names have each word. */
class Counts {
  names = 0;
  /** @type {Map<string, number>} */
  #words = new Map();

  /** @param {string[]} words of a name */
  add(words) {
    this.names++;
    for (const word of words) this.#words.set(word, this.of(word) + 1);
  }

  /** @param {string} word */
  of(word) {
    return this.#words.get(word) ?? 0;
  }
}

/** @param {string} word */
const hasLetter = (word) => /\p{L}/u.test(word);

/** Adds the nearest word with a letter if there is none: "0" alone says nothing.
 * @param {Parts} parts @param {number[]} kept ascending @returns {number[]} */
function withContext({ words }, kept) {
  if (kept.some((at) => hasLetter(words[at]))) return kept;
  const first = kept[0] ?? words.length;
  const before = words.findLastIndex((word, at) => at < first && hasLetter(word));
  const context = before < 0 ? words.findIndex((word, at) => at > first && hasLetter(word)) : before;
  const added = context < 0 && !kept.length ? words.length - 1 : context;
  return added < 0 ? kept : [...kept, added].sort((a, b) => a - b);
}

/** @param {Parts} parts @param {number[]} kept ascending @param {number[]} further @param {number} budget */
function filled(parts, kept, further, budget) {
  let best = kept;
  for (const at of further) {
    if (best.includes(at)) continue;
    const more = [...best, at].sort((a, b) => a - b);
    if (lengthOf(parts, more) <= budget) best = more;
  }
  return withoutSmallGaps(parts, best, budget);
}

/** "amber-fox-1" is hardly longer than "amber…1". @param {Parts} parts @param {number[]} kept ascending
 * @param {number} budget */
function withoutSmallGaps(parts, kept, budget) {
  let best = kept;
  for (let place = 1; place < best.length; place++) {
    const [before, after] = [best[place - 1], best[place]];
    const left = Array.from({ length: after - before - 1 }, (_, at) => before + 1 + at);
    const more = best.toSpliced(place, 0, ...left);
    const length = lengthOf(parts, more);
    if (length <= budget && length - lengthOf(parts, best) <= SMALL_GAP) best = more;
  }
  return best;
}

/** Leaves out the first words, which the most names have, until the rest fits.
 * @param {Parts} parts @param {number[]} kept ascending @param {number} budget */
function fitted(parts, kept, budget) {
  if (kept.length === parts.words.length && parts.name.length <= SLACK * budget) return parts.name;
  let rest = kept;
  while (rest.length > 1 && lengthOf(parts, rest) > budget) rest = rest.slice(1);
  const text = textOf(parts, withContext(parts, rest));
  if (text.length > budget) return squeezed(text, budget);
  return parts.name.length <= Math.min(budget, text.length + SMALLEST_SAVING) ? parts.name : text;
}

/** @param {Parts} parts @param {number[]} kept ascending @returns {string} */
const textOf = (parts, kept) =>
  kept.length === parts.words.length
    ? parts.name
    : kept.map((at, place) => jointAt(parts, kept, place) + parts.words[at]).join("");

/** @param {Parts} parts @param {number[]} kept ascending */
function lengthOf(parts, kept) {
  let length = 0;
  for (let place = 0; place < kept.length; place++)
    length += jointAt(parts, kept, place).length + parts.words[kept[place]].length;
  return length;
}

/** What is written before a word that is kept. @param {Parts} parts @param {number[]} kept @param {number} place */
const jointAt = ({ joints }, kept, place) =>
  kept[place] === (place ? kept[place - 1] + 1 : 0) ? joints[kept[place]] : place ? GAP : "";

/** Cuts the longest stretch of letters in the middle. @param {string} text @param {number} budget */
function squeezed(text, budget) {
  const [longest] = [...text.matchAll(/\p{L}+/gu)].sort((a, b) => b[0].length - a[0].length);
  if (!longest) return text;
  const letters = [...longest[0]];
  const room = letters.length - (text.length - budget) - GAP.length;
  if (room < FEWEST_LETTERS) return text;
  const tail = Math.floor(room / 3);
  const cut = letters.slice(0, room - tail).join("") + GAP + letters.slice(letters.length - tail).join("");
  return text.slice(0, longest.index) + cut + text.slice(longest.index + longest[0].length);
}

/** Chooses the first of each name's texts that no other name would have; the last ones are all different.
 * @param {string[][]} texts @returns {string[]} */
function unequal(texts) {
  const chosen = texts.map(() => 0);
  const textAt = (/** @type {number} */ place) => texts[place][chosen[place]];
  /** Who had a text first, even if only until another had it too. @type {Map<string, number>} */
  const firsts = new Map();
  const waiting = texts.map((_, place) => place);
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const text = textAt(place);
    const first = firsts.get(text);
    if (first === undefined) firsts.set(text, place);
    for (const each of first === undefined || first === place ? [] : [first, place]) {
      if (textAt(each) !== text || chosen[each] === texts[each].length - 1) continue;
      chosen[each]++;
      waiting.push(each);
    }
  }
  return texts.map((_, place) => textAt(place));
}
