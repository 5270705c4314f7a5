// The title of a group of runs.

import { html } from "lit-html";
import { stateWord } from "../../controls/state_mark.js";
import { groupKeys } from "../../data/groups/run_groups.js";
import { t } from "./words.js";

/** @param {string | null} name null = the runs without a group */
export function groupTitle(name) {
  if (name === null) return t("overview.group_none");
  if (!name) return t("overview.group_all");
  const [key, ...others] = groupKeys.value;
  if (others.length) return name;
  if (key === "state") return stateWord(/** @type {import("../../data/client/api_types.js").RunState} */ (name));
  return key.startsWith("param:") ? html`<span class="path">${key.slice(6)} = </span>${name}` : name;
}
