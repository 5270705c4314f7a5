// The menu that makes the marked runs a group: a label of its own, and grouping by label.

import { html } from "lit-html";
import { popover } from "../../controls/popover.js";
import { groupBy } from "../../data/groups/run_groups.js";
import { editMarked } from "../../data/runs/run_actions.js";
import { t } from "./words.js";

export const groupMenu = () =>
  popover(
    { id: "actions-group", label: t("actions.group") },
    html`<form class="group-menu" @submit=${submitted}>
      <input type="text" class="plain" name="group" required maxlength="100" autocomplete="off"
        placeholder=${t("actions.group_name")} aria-label=${t("actions.group_name")}>
      <button type="submit" class="plain primary">${t("actions.group")}</button>
      <p class="meta wrap">${t("actions.group_hint")}</p></form>`,
  );

/** @param {SubmitEvent} event */
function submitted(event) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.currentTarget);
  const name = String(new FormData(form).get("group")).trim();
  if (!name) return;
  form.reset();
  document.getElementById("actions-group")?.hidePopover();
  groupBy(["labels"]);
  void editMarked("label", { add_labels: [name] }, name);
}
