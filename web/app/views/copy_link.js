// The button that copies the address of the view, a short one if it is long and the server keeps links.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { copyText } from "../../controls/copy_text.js";
import { ICONS } from "../../controls/icons.js";
import { RequestError } from "../../data/client/client.js";
import { printView } from "../../data/view/address.js";
import { viewList } from "../../data/view/saved_views.js";
import { contentOf } from "../../data/view/stored_address.js";
import { view } from "../../data/view/view.js";
import { makeLink } from "../../data/view/views_client.js";
import { t } from "../words.js";

/** Longer addresses are shortened. */
const LONG = 300;
/** Milliseconds for which the button says what it did. */
const CONFIRMED = 1800;

/** What the last click did. @type {import("@preact/signals-core").Signal<"" | "copied" | "long" | "failed">} */
const outcome = signal("");

export const copyLink = () => html`<span class="copy-link">
  <button class="quiet" data-key="copy-link" title=${t("link.hint")} aria-label=${t("link.copy")} @click=${copy}>
    ${ICONS.link}<span class="wide-text">${t("link.copy")}</span></button>
  <span role="status">${outcome.value ? html`<span class="copied-note">${t(`link.${outcome.value}`)}</span>` : nothing}</span>
</span>`;

async function copy() {
  const address = printView({ ...view.peek(), theme: "", lang: "" });
  const page = location.href.replace(/#.*$/, "");
  const whole = address ? `${page}#${address}` : page;
  const id = whole.length > LONG ? await shortened() : null;
  const isCopied = await copyText(id ? `${page}#link=${id}` : whole);
  outcome.value = isCopied ? (whole.length > LONG && !id ? "long" : "copied") : "failed";
  setTimeout(() => (outcome.value = ""), CONFIRMED);
}

/** Returns the id of a short link; null if the server keeps none. */
async function shortened() {
  if (viewList.peek()?.read_only) return null;
  try {
    const { address, workspace } = contentOf(view.peek());
    return (await makeLink(address, workspace)).id;
  } catch (error) {
    if (error instanceof RequestError) return null;
    throw error;
  }
}
