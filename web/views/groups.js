// The content: cards by group of tags, or why there are none.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { scalarTags } from "../state/catalogue.js";
import { groups } from "../state/runs.js";
import { cardSize, change, closedGroups } from "../state/view.js";
import { t } from "../state/words.js";
import { emptyPage } from "./empty.js";
import { ICONS } from "./icons.js";
import "./scalar_card.js";

/** @typedef {import("../lib/tags.js").TagGroup} TagGroup */

export const content = () => emptyPage() ?? html`<div class="groups" data-size=${cardSize.value}>
  ${repeat(groups.value, (group) => group.name, groupOfTags)}
</div>`;

/** @param {TagGroup} group */
function groupOfTags({ name, tags }) {
  const open = !closedGroups.value.includes(name);
  const title = name || t("group.none");
  const alone = !name && tags.length === scalarTags.value?.length;
  return html`
    <section class="group" aria-label=${title} data-group=${name}>
      ${alone ? nothing : html`
        <h2><button class="group-switch" aria-expanded=${open} @click=${() => toggle(name)}>
          ${ICONS.chevron}<span class=${name ? "" : "dimmed"}>${title}</span><span class="meta">${t("group.tags", { n: tags.length })}</span>
        </button></h2>`}
      ${open || alone ? html`<div class="cards">${repeat(tags, (tag) => tag, (tag) => html`<scalar-card .tag=${tag} data-tag=${tag}></scalar-card>`)}</div>` : nothing}
    </section>`;
}

/** @param {string} name */
function toggle(name) {
  const closed = closedGroups.peek();
  change({ closed: closed.includes(name) ? closed.filter((group) => group !== name) : [...closed, name] });
}
