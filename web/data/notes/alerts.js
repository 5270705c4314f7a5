// Alerts: messages of trainings and of the server's rules, which of them are new, and what is muted.

import { computed } from "@preact/signals-core";
import { fetchJson, postJson, sendJson } from "../client/client.js";
import { Query } from "../client/query.js";
import { textOf } from "./alert_rule.js";

/** @typedef {"info" | "warn" | "error"} Level */
/** @typedef {{to: string, sent: number | null, problem: string | null, is_over: boolean}} AlertDelivery */
/** `rule`: null = the training recorded it; `wall_time`: seconds since 1970.
 * @typedef {{id: string, run: string, rule: string | null, title: string, text: string, level: Level, step: number | null,
 * wall_time: number, is_acknowledged: boolean, is_muted: boolean, deliveries: AlertDelivery[]}} Alert */
/** `runs`: a search, "" = all; `made`: when it was made on the page, null = it is in the server's file.
 * @typedef {{name: string, when: string, runs: string, level: Level, made: number | null, is_muted: boolean}} AlertRule */
/** `new`: how many are neither acknowledged nor muted, by run.
 * @typedef {{alerts: Alert[], total: number, new: Record<string, number>, rules: AlertRule[], muted_runs: string[],
 * read_only: boolean, problems: string[]}} AlertList */

/** Fetched at most this often, in milliseconds, while points of runs with alerts arrive. */
const INTERVAL = 1000;
/** The first list is fetched so long after the start, as the charts are more urgent. */
const DELAY = 1500;

/** @type {Query<AlertList>} */
const list = new Query((_key, signal) => fetchJson("alerts", { signal }), { interval: INTERVAL });
list.select("alerts");
export const alertList = list.value;
export const alertError = list.error;

/** Follows the list until the returned function is called. */
export const observeAlerts = () => list.observe();
/** Fetches the list, a moment later, and follows it. */
export const followAlerts = () => void setTimeout(observeAlerts, DELAY);
/** The server announced changed alerts. */
export const alertsChanged = () => list.invalidate();

const NONE = /** @type {Record<string, number>} */ ({});
const newByRun = computed(() => alertList.value?.new ?? NONE);
/** How many alerts of all runs are new. */
export const newAlerts = computed(() => Object.values(newByRun.value).reduce((sum, count) => sum + count, 0));
/** How many alerts of a run are new. @param {string} run */
export const newAlertsOf = (run) => (Object.hasOwn(newByRun.value, run) ? newByRun.value[run] : 0);
/** Is there anything to show? */
export const hasAlerts = computed(() => Boolean(alertList.value?.total || alertList.value?.rules.length));
/** The newest alerts of a run. @param {string} run */
export const alertsOf = (run) => (alertList.value?.alerts ?? []).filter((alert) => alert.run === run);

/** Changes something, and fetches the list again, whether that was possible or not. @param {() => Promise<unknown>} act */
async function changing(act) {
  try {
    await act();
  } finally {
    alertsChanged();
  }
}

/** Marks alerts as seen. @param {Alert[]} alerts */
export async function acknowledge(alerts) {
  const ids = alerts.filter((alert) => !alert.is_acknowledged).map(({ id }) => id);
  if (ids.length) await changing(() => postJson("alerts/acknowledged", { ids }));
}

/** Mutes the alerts of a run or of a rule, or ends that. @param {{run: string} | {rule: string}} what
 * @param {boolean} isMuted */
export const mute = (what, isMuted) => changing(() => sendJson("PUT", "alerts/muted", { ...what, is_muted: isMuted }));

/** @param {string} name of a rule */
const pathOf = (name) => `alerts/rules/${encodeURIComponent(name)}`;

/** Makes a rule, which has the name of what it says. @param {{when: string, runs: string}} rule */
export const makeRule = (rule) => changing(() => sendJson("PUT", pathOf(textOf(rule)), rule));

/** Deletes a rule that was made on the page. @param {string} name */
export const deleteRule = (name) => changing(() => sendJson("DELETE", pathOf(name)));
