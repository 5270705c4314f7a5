// Rows of the popovers of the scalars page: a label, and a choice that is a setting of the page.

import { choice } from "../../controls/choice.js";
import { option } from "../../controls/view_menu.js";
import { set } from "../../data/view/view.js";

/** A row with one choice; its first option is the default, which is omitted from the URL.
 * @param {string} name of the setting behind its dot @param {string} label @param {string} chosen
 * @param {Array<[value: string, text: string]>} options @param {string} [hint] */
export const choices = (name, label, chosen, options, hint = label) =>
  option(
    label,
    choice(name, hint, options, chosen, (value) => set({ [`scalar.${name}`]: value === options[0][0] ? "" : value })),
  );
