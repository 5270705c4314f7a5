// Regular expressions in time proportional to the text: those of the page come from its address, which anyone may have
// written, and the browser's own engine may backtrack for years.
//
// A pattern becomes a program whose threads advance together over the text, one character at a time (Thompson 1968; Pike's
// variant keeps the captures). Lookaround runs a program of its own at each place where it is asked for, which takes time
// proportional to the square of the text, within the same limit of steps. The syntax is that of JavaScript without back
// references; groups inside of lookaround capture nothing, and an optional part that matches nothing may count as a
// repetition, which JavaScript excludes.

import { t } from "../../i18n/words.js";

/** @typedef {(text: string) => (string | undefined)[] | null} Match returns the match and its first group; null: none */

/** @typedef {{op: "char", test: (character: string) => boolean} | {op: "split", first: number, second: number}
 *   | {op: "jump", to: number} | {op: "save", slot: number} | {op: "clear"} | {op: "assert", holds: Assertion}
 *   | {op: "match"}} Instruction */
/** @typedef {(text: string, at: number, budget: Budget) => boolean} Assertion */
/** How many steps are left. @typedef {{steps: number}} Budget */
/** @typedef {(emit: Instruction[]) => void} Emit writes the instructions of a part of the pattern */

const LONGEST_PATTERN = 1000;
const MAX_INSTRUCTIONS = 2000;
/** Characters of a text that a pattern with one quantifier may be matched with by the browser's engine: microseconds. */
const LONGEST_NATIVE = 200;
/** Of one pattern: about a second. */
const MAX_STEPS = 50_000_000;

/** The pattern takes too long, is too large, or uses what is not supported. */
export class PatternError extends Error {}

/** Returns a function that finds the first match, ignoring case.
 * @param {string} pattern @returns {Match}
 * @throws {SyntaxError} the pattern is not a regular expression
 * @throws {PatternError} it is too large, or uses what is not supported; by the function: it takes too long */
export function compile(pattern) {
  if (pattern.length > LONGEST_PATTERN) throw new PatternError(t("regex.long", { n: LONGEST_PATTERN }));
  const native = new RegExp(pattern, "i");
  const longestNative = longestNativeText(pattern);
  if (longestNative === Infinity) return (text) => native.exec(text);
  const program = new Parser(pattern).program();
  const budget = { steps: MAX_STEPS };
  return (text) => {
    if (text.length <= longestNative) return native.exec(text);
    const match = budget.steps > 0 ? run(program, text, budget) : null;
    if (budget.steps <= 0) throw new PatternError(t("regex.slow"));
    return match;
  };
}

/** Returns how many characters a text may have so that the browser's engine matches it soon; -1: none.
 * Without a quantifier the engine takes time proportional to the text, with one to its square.
 * @param {string} pattern */
export function longestNativeText(pattern) {
  const bare = pattern.replace(/\\[\s\S]/g, "x").replace(/\[[^\]]*\]/g, "x");
  if (/[(){\\]/.test(bare) || /\\[1-9k]/.test(pattern)) return -1;
  const quantifiers = (bare.match(/[*+?]/g) ?? []).length;
  return quantifiers === 0 ? Infinity : quantifiers === 1 ? LONGEST_NATIVE : -1;
}

const isWord = (/** @type {string | undefined} */ character) => character !== undefined && /\w/.test(character);
const isBoundary = (/** @type {string} */ text, /** @type {number} */ at) => isWord(text[at - 1]) !== isWord(text[at]);

/** @type {Record<string, Assertion>} */
const ASSERTIONS = {
  "^": (_, at) => at === 0,
  $: (text, at) => at === text.length,
  "\\b": isBoundary,
  "\\B": (text, at) => !isBoundary(text, at),
};

/** Reads a pattern that the browser accepts. */
class Parser {
  #pattern;
  #at = 0;
  #groups = 0;

  /** @param {string} pattern */
  constructor(pattern) {
    this.#pattern = pattern;
  }

  /** @returns {Instruction[]} */
  program() {
    /** @type {Instruction[]} */
    const program = [];
    this.#alternatives()(program);
    program.push({ op: "match" });
    return program;
  }

  /** Reads what a sticky expression matches here. @param {RegExp} expression @returns {RegExpExecArray | null} */
  #take(expression) {
    const sticky = new RegExp(expression, "y");
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.#pattern);
    if (match) this.#at = sticky.lastIndex;
    return match;
  }

  /** @returns {Emit} */
  #alternatives() {
    const first = this.#sequence();
    if (!this.#take(/\|/)) return first;
    const second = this.#alternatives();
    return (program) => {
      const split = emit(program, { op: "split", first: program.length + 1, second: 0 });
      first(program);
      const jump = emit(program, { op: "jump", to: 0 });
      split.second = program.length;
      second(program);
      jump.to = program.length;
    };
  }

  /** @returns {Emit} */
  #sequence() {
    /** @type {Emit[]} */
    const parts = [];
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#pattern[this.#at] ?? "")) parts.push(this.#term());
    return (program) => {
      for (const part of parts) part(program);
    };
  }

  /** @returns {Emit} */
  #term() {
    const assertion = this.#take(/\^|\$|\\[bB]/);
    if (assertion) {
      const holds = /** @type {Assertion} */ (ASSERTIONS[assertion[0]]);
      return (program) => void emit(program, { op: "assert", holds });
    }
    const before = this.#groups;
    const atom = this.#atom();
    const captures = before === 0 && this.#groups > 0;
    const quantifier = this.#take(/(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})(\?)?/);
    if (!quantifier) return atom;
    const [, symbol, low, comma, high, lazy] = quantifier;
    const least = symbol ? (symbol === "+" ? 1 : 0) : Number(low);
    const most = symbol ? (symbol === "?" ? 1 : Infinity) : comma ? (high ? Number(high) : Infinity) : least;
    return repeated(atom, least, most, lazy === undefined, captures);
  }

  /** @returns {Emit} */
  #atom() {
    if (this.#take(/\\[1-9k]|\(\?[a-z-]+:/)) throw new PatternError(t("regex.not_supported"));
    const lookaround = this.#take(/\(\?(<)?([=!])/);
    if (lookaround) return this.#lookaround(lookaround[1] !== undefined, lookaround[2] === "=");
    if (this.#take(/\(\?:/)) return this.#group();
    if (this.#take(/\((?:\?<[^>]*>)?/)) {
      this.#groups++;
      const isFirst = this.#groups === 1;
      const inside = this.#group();
      if (!isFirst) return inside;
      return (program) => {
        emit(program, { op: "save", slot: 2 });
        inside(program);
        emit(program, { op: "save", slot: 3 });
      };
    }
    const source = this.#take(/\[(?:\\[\s\S]|[^\]\\])*\]|\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|c[a-zA-Z]|[\s\S])|[\s\S]/);
    if (!source) throw new PatternError(t("regex.not_supported"));
    const test = characterTest(source[0]);
    return (program) => void emit(program, { op: "char", test });
  }

  /** @param {boolean} isBehind @param {boolean} isPositive @returns {Emit} */
  #lookaround(isBehind, isPositive) {
    const groups = this.#groups;
    /** @type {Instruction[]} */
    const inside = [];
    this.#group()(inside);
    this.#groups = groups;
    inside.push({ op: "match" });
    return (program) => {
      const holds = (/** @type {string} */ text, /** @type {number} */ at, /** @type {Budget} */ budget) =>
        (run(inside, text, budget, isBehind ? { end: at } : { start: at }) !== null) === isPositive;
      emit(program, { op: "assert", holds });
    };
  }

  /** @returns {Emit} */
  #group() {
    const inside = this.#alternatives();
    this.#take(/\)/);
    return inside;
  }
}

/** Does one character match? The browser decides, once for each. @param {string} source */
function characterTest(source) {
  const expression = new RegExp(`^(?:${/^[{}\]]$/.test(source) ? `\\${source}` : source})$`, "i");
  /** @type {Map<string, boolean>} */
  const known = new Map();
  return (/** @type {string} */ character) => {
    let matches = known.get(character);
    if (matches === undefined) known.set(character, (matches = expression.test(character)));
    return matches;
  };
}

/** @template {Instruction} Kind @param {Instruction[]} program @param {Kind} instruction @returns {Kind} */
function emit(program, instruction) {
  if (program.length >= MAX_INSTRUCTIONS) throw new PatternError(t("regex.large"));
  program.push(instruction);
  return instruction;
}

/** @param {Emit} atom @param {number} least @param {number} most @param {boolean} greedy
 * @param {boolean} captures whether it contains the first group, which each repetition forgets @returns {Emit} */
function repeated(atom, least, most, greedy, captures) {
  return (program) => {
    const once = () => {
      if (captures) emit(program, { op: "clear" });
      atom(program);
    };
    const optional = (/** @type {() => void} */ body) => {
      const split = emit(program, { op: "split", first: 0, second: 0 });
      const start = program.length;
      body();
      [split.first, split.second] = greedy ? [start, program.length] : [program.length, start];
    };
    for (let count = 0; count < least; count++) {
      const start = program.length;
      once();
      if (program.length === start) return; // It matches nothing but the empty text, however often.
    }
    if (most === Infinity) {
      const start = program.length;
      optional(() => {
        once();
        emit(program, { op: "jump", to: start });
      });
    } else if (most > least) nest(most - least);

    function nest(/** @type {number} */ count) {
      optional(() => {
        once();
        if (count > 1) nest(count - 1);
      });
    }
  };
}

/** @typedef {{at: number, saved: number[]}} Thread */

/** Runs a program, and gives up when no steps are left. Returns the match and its first group; null: none.
 * @param {Instruction[]} program @param {string} text @param {Budget} budget
 * @param {{start?: number, end?: number}} [place] where the match begins or ends; absent = anywhere
 * @returns {(string | undefined)[] | null} */
function run(program, text, budget, { start: only, end: last } = {}) {
  const visited = new Int32Array(program.length).fill(-1);
  budget.steps -= program.length;
  /** @type {number[] | null} */
  let matched = null;
  /** @type {Thread[]} */
  let threads = [];

  /** Adds the threads that continue at an instruction before the next character.
   * @param {Thread[]} list @param {number} at @param {number} position @param {number[]} saved */
  const add = (list, at, position, saved) => {
    budget.steps--;
    if (visited[at] === position) return;
    visited[at] = position;
    const instruction = /** @type {Instruction} */ (program[at]);
    if (instruction.op === "jump") add(list, instruction.to, position, saved);
    else if (instruction.op === "split") {
      add(list, instruction.first, position, saved);
      add(list, instruction.second, position, saved);
    } else if (instruction.op === "save") add(list, at + 1, position, saved.with(instruction.slot, position));
    else if (instruction.op === "clear") add(list, at + 1, position, [saved[0] ?? 0, saved[1] ?? 0, -1, -1]);
    else if (instruction.op === "assert") {
      if (instruction.holds(text, position, budget)) add(list, at + 1, position, saved);
    } else if (instruction.op !== "match" || last === undefined || position === last) list.push({ at, saved });
  };

  const end = last ?? text.length;
  for (let position = only ?? 0; position <= end && budget.steps > 0; position++) {
    if (!matched && (only === undefined || position === only)) add(threads, 0, position, [position, 0, -1, -1]);
    else if (!threads.length) break;
    /** @type {Thread[]} */
    const next = [];
    for (const { at, saved } of threads) {
      const instruction = /** @type {Instruction} */ (program[at]);
      if (instruction.op === "match") {
        matched = saved.with(1, position);
        break; // The threads that follow have lower priority.
      }
      const character = text[position];
      if (instruction.op === "char" && character !== undefined && instruction.test(character))
        add(next, at + 1, position + 1, saved);
      budget.steps--;
    }
    threads = next;
  }
  if (!matched) return null;
  const [start = 0, until = 0, groupStart = -1, groupEnd = -1] = matched;
  const group = groupStart < 0 || groupEnd < 0 ? undefined : text.slice(groupStart, groupEnd);
  return [text.slice(start, until), group];
}
