// The state of a run as a small mark, as a word and as a sentence.

import { html, nothing, svg } from "lit-html";
import { errorLine, sinceOf, stateOf } from "../data/runs/run_state.js";
import { wallTime } from "../i18n/times.js";
import { t } from "../i18n/words.js";

/** @typedef {import("../data/client/api_types.js").RunState} RunState */
/** @typedef {import("../data/runs/run_state.js").Stateful &
 * Pick<import("../data/client/api_types.js").Recording, "phase" | "error">} Stateful */

/** Longer errors are cut in hints. */
const MAX_LETTERS = 300;

/** The marks differ in shape as well as in colour; that of most runs is quiet. Nothing marks an unknown state. */
const SHAPES = {
  failed: svg`<path d="M3 3l6 6M9 3L3 9"/>`,
  lost: svg`<circle cx="6" cy="6" r="4"/>`,
  interrupted: svg`<rect x="2.500" y="2.500" width="7" height="7" rx="1"/>`,
  stalled: svg`<path d="M4 2.800v6.400M8 2.800v6.400"/>`,
  running: svg`<circle class="halo" cx="6" cy="6" r="5.500"/><circle cx="6" cy="6" r="3.200"/>`,
  finished: svg`<circle cx="6" cy="6" r="2.600"/>`,
  unknown: nothing,
};

/** @param {RunState} state @param {string} [label] without one, the mark is beside the word */
export const stateMark = (state, label) => html`<svg class="state-mark" viewBox="0 0 12 12" data-state=${state}
  role=${label ? "img" : nothing} aria-label=${label ?? nothing}
  aria-hidden=${label ? nothing : "true"}>${SHAPES[state]}</svg>`;

/** "failed". @param {RunState} state */
export const stateWord = (state) => t(`state.${state}`);

/** "Failed at 2026-11-22 14:03:10", "Running since 2026-11-22 09:30:00 · evaluating".
 * @param {Stateful} of */
export function stateSentence(of) {
  const state = stateOf(of);
  const since = sinceOf({ ...of, state });
  const word = stateWord(state);
  const sentence =
    since === null
      ? word.charAt(0).toUpperCase() + word.slice(1)
      : t(`state.since_${state}`, { time: wallTime(since) });
  return of.phase && (state === "running" || state === "stalled")
    ? `${sentence} · ${t(`state.phase_${of.phase}`)}`
    : sentence;
}

/** The same with the error, in lines of their own.
 * @param {Stateful} of */
export const stateHint = (of) =>
  [stateSentence(of), ...(of.error ? [errorLine(of.error).slice(0, MAX_LETTERS)] : [])].join("\n");

/** A mark and its word, with the whole sentence as a hint.
 * @param {Stateful} of */
export function stateLabel(of) {
  const state = stateOf(of);
  return html`<span class="run-state" data-state=${state}
    title=${stateHint(of)}>${stateMark(state)}<span>${stateWord(state)}</span></span>`;
}
