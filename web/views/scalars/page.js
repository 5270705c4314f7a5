// The scalars page: a card for each tag.

import { html } from "lit-html";
import { listed, scalarTags } from "../../state/catalogue.js";
import { groups } from "../../state/runs.js";
import { t } from "../../state/words.js";
import { loadingRuns, withoutMatch, withoutPlugin, withoutRuns } from "../empty_page.js";
import { tagGroups } from "../tag_groups.js";
import "./scalar_card.js";

export { toolbar } from "./toolbar.js";
export { ACTIONS, KEYS } from "./keys.js";

/** Why there are no cards; null when there are. */
function emptyPage() {
  const none = withoutRuns();
  if (none) return none;
  if (!scalarTags.value?.length) return listed.value?.loading ? loadingRuns() : withoutPlugin(t("empty.no_scalars"));
  return groups.value.length ? null : withoutMatch();
}

export const content = () =>
  emptyPage() ?? tagGroups(groups.value, scalarTags.value?.length ?? 0, (tag) => html`<scalar-card .tag=${tag} data-tag=${tag}></scalar-card>`);
