// Notifications of the browser: it shows new alerts outside the page, if people ask for that and permit it.

import { effect, signal } from "@preact/signals-core";
import { isNew } from "../../controls/alert_list.js";
import { nameOf } from "../../controls/run_name.js";
import { alertList, alertsChanged } from "../../data/notes/alerts.js";
import { t } from "../words.js";

/** @typedef {import("../../data/notes/alerts.js").Alert} Alert */

const STORED = "toposcope.notifications";
/** A hidden page does not follow the server: it asks for alerts so often, in milliseconds. */
const INTERVAL = 30_000;
/** Of more alerts at a time, these are the newest. */
const MOST = 3;
const LONGEST = 200;

/** Can the browser show notifications of this page? It needs HTTPS for that, except on this machine. */
export const canNotify = typeof Notification !== "undefined" && isSecureContext;

export const isNotifying = signal(canNotify && isStored());

/** Shows new alerts from now on, or no longer; an error if the browser does not permit it. @param {boolean} isWanted */
export async function setNotifying(isWanted) {
  if (isWanted && (await Notification.requestPermission()) !== "granted") throw new Error(t("alerts.not_permitted"));
  isNotifying.value = isWanted;
  try {
    if (isWanted) localStorage.setItem(STORED, "true");
    else localStorage.removeItem(STORED);
  } catch {
    // Without storage it is for this visit.
  }
}

function isStored() {
  try {
    return localStorage.getItem(STORED) !== null;
  } catch {
    return false;
  }
}

/** Shows the alerts that arrive while the page is open. @param {(run: string) => void} open opens the page of a run */
export function followNotifications(open) {
  /** @type {Set<string> | null} */
  let known = null;
  effect(() => {
    const alerts = alertList.value?.alerts;
    if (!alerts) return;
    const arrived = alerts.filter((alert) => isNew(alert) && known !== null && !known.has(alert.id));
    known = new Set(alerts.map(({ id }) => id));
    if (isNotifying.peek()) for (const alert of arrived.slice(0, MOST)) show(alert, open);
  });
  setInterval(() => {
    if (document.hidden && isNotifying.peek()) alertsChanged();
  }, INTERVAL);
}

/** @param {Alert} alert @param {(run: string) => void} open */
function show({ id, title, text, run }, open) {
  try {
    // Several pages of one server show it once: it has one tag.
    const shown = new Notification(title, {
      body: `${nameOf(run)}\n${text.slice(0, LONGEST)}`,
      tag: `toposcope ${id}`,
    });
    shown.onclick = () => {
      focus();
      open(run);
    };
  } catch {
    isNotifying.value = false; // Browsers of phones have only those of service workers.
  }
}
