// What could not be loaded: why, with a button that asks for it again where that may help.

import { html, nothing } from "lit-html";
import { t } from "../i18n/words.js";

/** @param {() => void} again */
export const retryButton = (again) =>
  html`<button class="plain" data-key="retry" @click=${again}>${t("card.retry")}</button>`;

/** @param {Error | null} error @param {() => void} [again] */
const reason = (error, again) =>
  html`<span>${t("card.failed", { reason: error?.message ?? "" })}</span> ${again ? retryButton(again) : nothing}`;

/** In place of a cell. @param {Error} error @param {() => void} [again] */
export const failedCell = (error, again) => html`<p class="cell-state error" role="alert">${reason(error, again)}</p>`;

/** In place of what a card draws. @param {Error | null} error @param {() => void} again */
export const failedCard = (error, again) => html`<div class="state error" role="alert">${reason(error, again)}</div>`;

/** Above what there is of a page or a section. @param {Error | null} error @param {() => void} [again] */
export const failedPart = (error, again) =>
  error ? html`<p class="page-note" role="alert" data-note="failed">${reason(error, again)}</p>` : nothing;
