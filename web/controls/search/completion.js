// Completion of the search that is being typed: the server knows its syntax and the names of fields, labels and tags.

import { signal } from "@preact/signals-core";
import { fetchJson } from "../../data/client/client.js";
import { Query } from "../../data/client/query.js";
import { changes } from "../../data/runs/run_versions.js";

/** @typedef {object} Option
 * @property {string} text
 * @property {"field" | "label" | "parameter" | "metric" | "value"} kind
 * @property {number | null} runs how many have it; null = not counted
 */
/** The text before the cursor of a field, which is completed; null = the list is closed.
 * @typedef {{field: string, before: string} | null} Typed */

/** @type {import("@preact/signals-core").Signal<Typed>} */
const typed = signal(null);
/** The option that Enter accepts; -1 = none. */
export const active = signal(-1);

/** @type {Query<{before: string, start: number, options: Option[]}>} */
const query = new Query(async (before, signal) => {
  const reply = await fetchJson(`runs/completions?${new URLSearchParams({ search: before })}`, { signal });
  return { before, start: utf16Length(before, reply.start), options: reply.options };
});

/** Fetches completions until the returned function is called. */
export const followCompletion = () =>
  query.observe(() => query.select(typed.value?.before ?? null, String(changes.value)));

/** The options of a field; none while the list is closed or being fetched. @param {string} field */
export function optionsOf(field) {
  const reply = query.value.value;
  return typed.value?.field === field && reply?.before === typed.value.before ? reply.options : NO_OPTIONS;
}
/** @type {Option[]} */
const NO_OPTIONS = [];

/** @param {HTMLInputElement} input */
export function openList(input) {
  active.value = -1;
  typed.value = { field: input.id, before: input.value.slice(0, input.selectionStart ?? input.value.length) };
}

export function closeList() {
  typed.value = null;
  active.value = -1;
}

/** Moves to the next or previous option, past the ends to none. @param {string} field @param {number} by */
export function moveActive(field, by) {
  const places = optionsOf(field).length + 1;
  active.value = ((active.peek() + 1 + by + places) % places) - 1;
}

/** Replaces the unfinished end of a text; after a complete term, a space begins the next one.
 * @param {string} text @param {Option} option @returns {{text: string, cursor: number}} */
export function completed(text, option) {
  const { start = 0, before = "" } = query.value.peek() ?? {};
  return replaced(text, start, before.length, option);
}

/** @param {string} text @param {number} start @param {number} end @param {Option} option */
export function replaced(text, start, end, { text: inserted, kind }) {
  const rest = text.slice(end);
  const isWhole = (kind === "label" || kind === "value") && !/^\s/.test(rest);
  const head = text.slice(0, start) + inserted + (isWhole ? " " : "");
  return { text: head + rest, cursor: head.length };
}

/** @param {string} text @param {number} characters of Unicode */
const utf16Length = (text, characters) => [...text].slice(0, characters).join("").length;
