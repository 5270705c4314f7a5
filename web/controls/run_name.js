// The names of runs on cards: without what all drawn runs share, cut in the middle where there is no room.

import { computed } from "@preact/signals-core";
import { html } from "lit-html";
import { noteOf } from "../data/notes.js";
import { drawnRuns, matchingRuns } from "../data/runs.js";
import { sharedParts, withoutShared } from "../data/short_names.js";
import { nameParts } from "./name_parts.js";
import { nameOf } from "./run_row.js";

/** Names are compared to find what they share; the first ones suffice. */
const MOST_COMPARED = 1000;

/** @param {readonly string[]} runs */
const sharedBy = (runs) =>
  sharedParts(
    runs
      .slice(0, MOST_COMPARED)
      .filter((run) => !noteOf(run).alias)
      .map(nameOf),
  );

const shared = computed(() => sharedBy(drawnRuns.value));
/** What the names of all listed runs share, which lists of runs leave out. */
export const listedShared = computed(() => sharedBy(matchingRuns.value));

/** The name of a run without what the names of all drawn runs share; an alias stays as it is.
 * @param {string} run */
export const shortNameOf = (run) => (noteOf(run).alias ? nameOf(run) : withoutShared(nameOf(run), shared.value));

/** The name of a run in lists: without what the names of all listed runs share. @param {string} run */
export const listName = (run) => (noteOf(run).alias ? nameOf(run) : withoutShared(nameOf(run), listedShared.value));

/** The name of a run in lists, whose title is the whole one. @param {string} run */
export const listedName = (run) =>
  html`<span class="run-name" title=${run}>${nameParts(listName(run), Boolean(noteOf(run).alias))}</span>`;

/** The short name of a run, whose title is the whole one.
 * @param {string} run */
export const runName = (run) =>
  html`<span class="run-name" title=${nameOf(run)}>${nameParts(shortNameOf(run), Boolean(noteOf(run).alias))}</span>`;
