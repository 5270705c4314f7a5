// The pages, and the one that is shown. Some are in the first script, the others are loaded when idle.

import { effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { empty } from "../controls/empty_state.js";
import { retryButton } from "../controls/failure.js";
import { provideParser } from "../controls/markdown/tokens.js";
import { chosenRuns, drawnRuns } from "../data/runs/runs.js";
import { followsServer } from "../data/snapshot/state.js";
import { factsOf } from "../data/view/page_list.js";
import { page } from "../data/view/view.js";
import { grouped } from "../i18n/numbers.js";
import { t } from "../i18n/words.js";
import * as overview from "../pages/overview/page.js";
import * as scalars from "../pages/scalars/page.js";

/** @typedef {import("../data/view/address.js").PageName} PageName */
/** @typedef {import("../controls/page.js").Page} Page */

/** The pages whose module is loaded. @type {Partial<Record<PageName, Page>>} */
const loaded = { overview, scalars };

/** Loads what is seldom needed first. */
export const loadLater = () => import("./later_pages.js");

/** Loads all others. */
const loadLaterPages = async () => void Object.assign(loaded, await loadLater());

provideParser(async () => (await loadLater()).Lexer);

/** The page that is shown; null until its module is loaded.
 * @type {import("@preact/signals-core").Signal<Page | null>} */
export const shownPage = signal(null);

/** Why the page's module could not be loaded. @type {import("@preact/signals-core").Signal<Error | null>} */
const loadError = signal(null);

/** Shows the page of the URL, and follows it. */
export function followPages() {
  effect(() => {
    const name = page.value;
    loadError.value = null;
    const module = loaded[name];
    // Synchronously, so that its requests are sent before the browser draws.
    if (module) shownPage.value = module;
    else void showLater(name);
  });
  effect(() => shownPage.value?.follow?.());
  const whenIdle = window.requestIdleCallback ?? ((/** @type {() => void} */ load) => setTimeout(load, 1000));
  if (followsServer()) whenIdle(() => void prepareLaterPages());
}

/** @param {PageName} name */
async function showLater(name) {
  try {
    await loadLaterPages();
    if (page.peek() === name) shownPage.value = loaded[name] ?? null;
  } catch (error) {
    if (page.peek() === name) [shownPage.value, loadError.value] = [null, /** @type {Error} */ (error)];
  }
}

async function prepareLaterPages() {
  try {
    await loadLaterPages();
  } catch {
    return; // Shown when one of them is opened.
  }
  for (const { prepare } of Object.values(loaded)) if (prepare) effect(prepare);
}

export const toolbar = () => shownPage.value?.toolbar() ?? nothing;
export const content = () =>
  loadError.value
    ? empty("failed", t("page.failed"), loadError.value.message, reload())
    : html`${undrawnNote()}${shownPage.value?.content() ?? nothing}`;

/** How many of the visible runs this page shows. */
export const shownCount = () => (factsOf(page.value).drawsAll ? drawnRuns : chosenRuns).value.length;

/** That there are more visible runs than are drawn. */
const undrawnNote = () =>
  chosenRuns.value.length > shownCount()
    ? html`<p class="page-note" data-note="undrawn">${t("page.undrawn", {
        shown: grouped(shownCount()),
        n: grouped(chosenRuns.value.length),
      })}</p>`
    : nothing;

const reload = () => retryButton(() => location.reload());
