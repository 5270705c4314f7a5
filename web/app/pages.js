// The pages: which there are, and the one that is shown. Those opened first are here from the start, the others come when there is time.

import { effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { empty } from "../controls/empty_state.js";
import { page } from "../data/view.js";
import { t } from "../i18n/words.js";
import * as overview from "../pages/overview/page.js";
import * as scalars from "../pages/scalars/page.js";

/** @typedef {import("../data/address.js").PageName} PageName */
/** @typedef {import("../controls/page.js").Page} Page */

/** The pages whose module is here: those of the first file from the start. @type {Partial<Record<PageName, Page>>} */
const here = { overview, scalars };

/** Brings all others at once. */
const loadLaterPages = async () => void Object.assign(here, await import("./later_pages.js"));

/** The page that is shown; null until its module is here. @type {import("@preact/signals-core").Signal<Page | null>} */
export const shownPage = signal(null);

/** Why the page's module could not be had. @type {import("@preact/signals-core").Signal<Error | null>} */
const loadError = signal(null);

/** Shows the page that the address names, now and whenever it names another one. */
export function followPages() {
  effect(() => {
    const name = page.value;
    loadError.value = null;
    const module = here[name];
    // Shown within the change that turns to it: what it asks the server for is on its way before the browser draws.
    if (module) shownPage.value = module;
    else void showLater(name);
  });
  effect(() => shownPage.value?.follow?.());
  const whenIdle = window.requestIdleCallback ?? ((/** @type {() => void} */ load) => setTimeout(load, 1000));
  whenIdle(() => void prepareLaterPages());
}

/** @param {PageName} name */
async function showLater(name) {
  try {
    await loadLaterPages();
    if (page.peek() === name) shownPage.value = here[name] ?? null;
  } catch (error) {
    if (page.peek() === name) [shownPage.value, loadError.value] = [null, /** @type {Error} */ (error)];
  }
}

async function prepareLaterPages() {
  try {
    await loadLaterPages();
  } catch {
    return; // Told when one of them is asked for.
  }
  for (const { prepare } of Object.values(here)) if (prepare) effect(prepare);
}

export const toolbar = () => shownPage.value?.toolbar() ?? nothing;
export const content = () =>
  loadError.value
    ? empty("failed", t("page.failed"), loadError.value.message, reload())
    : (shownPage.value?.content() ?? html``);

const reload = () => html`<button class="plain" @click=${() => location.reload()}>${t("card.retry")}</button>`;
