// The pages: which there are, and the one that is shown. Each is loaded when it is first asked for, or when there is time.

import { effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { PAGES } from "../lib/view.js";
import { page } from "../state/view.js";
import { t } from "../state/words.js";
import { empty } from "./empty_page.js";

/** @typedef {import("../lib/view.js").PageName} PageName */
/** @typedef {import("../lib/text.js").TextKey} TextKey */
/** Keys and what they do. @typedef {[keys: string[], text: TextKey]} KeyRow */

/** What a page's module exports.
 * @typedef {object} Page
 * @property {() => unknown} toolbar its settings
 * @property {() => unknown} content
 * @property {() => () => void} [follow] begins what goes on while the page is shown, returns what ends it
 * @property {Record<string, () => void>} [ACTIONS] its keys
 * @property {KeyRow[]} [KEYS] what the list of keys says of them
 */

/** @type {Record<PageName, () => Promise<Page>>} */
const LOADERS = {
  overview: () => import("./overview/page.js"),
  scalars: () => import("./scalars/page.js"),
  histograms: () => import("./histograms/page.js"),
  images: () => import("./images/page.js"),
  tensors: () => import("./tensors/page.js"),
  text: () => import("./text/page.js"),
  graph: () => import("./graph/page.js"),
  lineage: () => import("./lineage/page.js"),
  landscape: () => import("./landscape/page.js"),
  compare: () => import("./compare/page.js"),
};

/** The page that is shown; null until its module is here. @type {import("@preact/signals-core").Signal<Page | null>} */
export const shownPage = signal(null);

/** Why the page's module could not be had. @type {import("@preact/signals-core").Signal<Error | null>} */
const loadError = signal(null);

/** Shows the page that the address names, now and whenever it names another one. */
export function followPages() {
  effect(() => {
    const name = page.value;
    loadError.value = null;
    LOADERS[name]().then(
      (module) => {
        if (page.peek() === name) shownPage.value = module;
      },
      (error) => {
        if (page.peek() === name) [shownPage.value, loadError.value] = [null, error];
      },
    );
  });
  effect(() => shownPage.value?.follow?.());
  const whenIdle = window.requestIdleCallback ?? ((/** @type {() => void} */ load) => setTimeout(load, 1000));
  // What fails here is told when it is asked for.
  whenIdle(() => void Promise.allSettled(PAGES.map((name) => LOADERS[name]())));
}

export const toolbar = () => shownPage.value?.toolbar() ?? nothing;
export const content = () => (loadError.value ? empty("failed", t("page.failed"), loadError.value.message, reload()) : (shownPage.value?.content() ?? html``));

const reload = () => html`<button class="plain" @click=${() => location.reload()}>${t("card.retry")}</button>`;
