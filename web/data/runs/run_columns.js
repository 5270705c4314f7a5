// Values of all runs, such as the last value of a metric: fetched as columns, later only of runs that changed.

import { signal } from "@preact/signals-core";
import { readRunColumns } from "../client/client.js";
import { Query } from "../client/query.js";
import { numbersOf } from "../series/series.js";
import { runsReply } from "./catalogue.js";
import { namesOf } from "./run_facts.js";

/** @typedef {import("../client/api_types.js").RunColumnsReply} RunColumnsReply */
/** @typedef {import("../text/value_filter.js").Value} Value */

const KINDS = /** @type {const} */ (["fact", "last", "min", "max", "param"]);
/** Facts, metrics by their statistic, and hyperparameters. @typedef {(typeof KINDS)[number]} Kind */
/** Names of columns, by kind. @typedef {Record<Kind, readonly string[]>} Selected */
/** The values by slot; a hole or null = none. @typedef {{values: Value[], revision: number}} Column */
/** Returns the value of a run, null if it has none. @typedef {(run: string) => Value} ValueOf */

/** @type {ValueOf} */
const nothing = () => null;

/** Columns, while anything that is shown needs them. */
class RunColumns {
  /** Another object after each change. */
  #columns = signal(/** @type {ReadonlyMap<string, Column>} */ (new Map()));
  /** The hyperparameters that any run has.
   * @type {import("@preact/signals-core").Signal<import("../client/api_types.js").ParameterSummary[]>} */
  parameters = signal([]);
  /** What each follower needs. @type {import("@preact/signals-core").Signal<ReadonlySet<() => Selected | null>>} */
  #selections = signal(new Set());
  /** The place of each run in every column. @type {Map<string, number>} */
  #slots = new Map();
  /** @type {Query<void>} */
  #query = new Query((key, signal) => this.#fetch(JSON.parse(key), signal));
  error = this.#query.error;

  /** Follows columns of all runs until the returned function is called.
   * @param {() => Selected | null} selection read inside an effect; null = nothing at present */
  follow(selection) {
    this.#selections.value = new Set(this.#selections.peek()).add(selection);
    const end = this.#query.observe(() => {
      const selected = union([...this.#selections.value].flatMap((each) => each() ?? []));
      const list = runsReply.value;
      this.#query.select(list && selected && JSON.stringify(selected), String(list?.revision));
    });
    return () => {
      const others = new Set(this.#selections.peek());
      others.delete(selection);
      this.#selections.value = others;
      end();
    };
  }

  /** Returns the values of a column, all null until it is fetched. @param {Kind} kind @param {string} name
   * @returns {ValueOf} */
  of(kind, name) {
    const values = this.#columns.value.get(`${kind} ${name}`)?.values;
    return values ? (run) => values[this.#slots.get(run) ?? -1] ?? null : nothing;
  }

  /** @param {Selected} selected @param {AbortSignal} signal */
  async #fetch(selected, signal) {
    const held = this.#columns.peek();
    const isHeld = (/** @type {Kind} */ kind, /** @type {string} */ name) => held.has(`${kind} ${name}`);
    const lacking = filtered(selected, (kind, name) => !isHeld(kind, name));
    const known = filtered(selected, isHeld);
    const revision = Math.min(
      ...KINDS.flatMap((kind) => known[kind].map((name) => held.get(`${kind} ${name}`)?.revision ?? 0)),
    );
    const requests = [];
    if (Number.isFinite(revision)) requests.push({ ...known, since: revision });
    if (!requests.length || KINDS.some((kind) => lacking[kind].length)) requests.push({ ...lacking, since: null });
    const replies = await Promise.all(
      requests.map((request, at) => readRunColumns({ ...request, parameters: at === 0 }, signal)),
    );
    if (signal.aborted) return;
    const columns = new Map(held);
    for (const key of held.keys()) if (!hasKey(selected, key)) columns.delete(key);
    const changes = replies.map((reply) => this.#receive(reply, columns));
    this.parameters.value = replies[0].parameters;
    if (changes.some(Boolean) || columns.size !== held.size) this.#columns.value = columns;
  }

  /** Returns whether any value may have changed. @param {RunColumnsReply} reply @param {Map<string, Column>} columns */
  #receive(reply, columns) {
    const slots = namesOf(reply.runs).map((run) => this.#slotOf(run));
    for (const kind of KINDS) {
      for (const [name, column] of Object.entries(reply[kind])) {
        const key = `${kind} ${name}`;
        const values = (reply.since === null ? null : columns.get(key)?.values) ?? [];
        write(column, slots, values);
        columns.set(key, { values, revision: reply.revision });
      }
    }
    return reply.since === null || slots.length > 0;
  }

  /** @param {string} run */
  #slotOf(run) {
    const known = this.#slots.get(run);
    if (known !== undefined) return known;
    this.#slots.set(run, this.#slots.size);
    return this.#slots.size - 1;
  }
}

/** The columns of all runs: for tables, the order, colours and groups of runs, and panels. */
export const runColumns = new RunColumns();

/** @param {readonly Selected[]} all @returns {Selected | null} null if there are none */
const union = (all) =>
  all.length
    ? /** @type {Record<Kind, string[]>} */ (
        Object.fromEntries(KINDS.map((kind) => [kind, [...new Set(all.flatMap((each) => each[kind]))].sort()]))
      )
    : null;

/** @param {Selected} selected @param {(kind: Kind, name: string) => boolean} keeps @returns {Record<Kind, string[]>} */
const filtered = (selected, keeps) =>
  /** @type {Record<Kind, string[]>} */ (
    Object.fromEntries(KINDS.map((kind) => [kind, selected[kind].filter((name) => keeps(kind, name))]))
  );

/** @param {Selected} selected @param {string} key */
function hasKey(selected, key) {
  const space = key.indexOf(" ");
  return selected[/** @type {Kind} */ (key.slice(0, space))].includes(key.slice(space + 1));
}

/** @param {import("../client/api_types.js").NumberColumn | import("../client/api_types.js").CodedColumn} column
 * @param {readonly number[]} slots of the runs of the reply @param {Value[]} values by slot */
function write(column, slots, values) {
  if ("code" in column) {
    const codes = numbersOf(column.code);
    for (let at = 0; at < slots.length; at++) values[slots[at]] = codes[at] < 0 ? null : column.value[codes[at]];
    return;
  }
  const numbers = numbersOf(column.number);
  if (column.row === null) {
    for (let at = 0; at < slots.length; at++) values[slots[at]] = numbers[at];
    return;
  }
  const places = numbersOf(column.row);
  for (const slot of slots) values[slot] = null;
  for (let at = 0; at < places.length; at++) values[slots[places[at]]] = numbers[at];
}
