// The toolbar of the landscape page: selection of landscapes, and how they are drawn.

import { html, nothing } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import { SCALES } from "../../charts/landscape/scales.js";
import { choice, select } from "../../controls/choice.js";
import { nameOf } from "../../controls/run_name.js";
import { slot } from "../../controls/slot.js";
import { option, viewMenu } from "../../controls/view_menu.js";
import { titleOf } from "./captions.js";
import { available, canAdd, compare, keyOf, show, shown } from "./model/landscapes.js";
import { between, CLIPS, COUNTS, choose, clip, colours, count, scale, VIEWS, view } from "./settings.js";
import { t } from "./words.js";

/** A run with more landscapes has a list instead of buttons. */
const MAX_BUTTONS = 4;

export function toolbar() {
  const [first] = shown.value;
  if (!first) return nothing;
  return html`
    ${runChoice(first)}
    ${tagChoice(first)}
    ${compareChoice()}
    <span class="space"></span>
    ${slot(
      "view",
      t("land.view"),
      choice(
        "land-view",
        t("land.view"),
        VIEWS.map((name) => [name, t(`land.view_${name}`), t(`land.view_${name}_hint`)]),
        view.value,
        choose("land.view", "filled"),
      ),
    )}
    ${slot(
      "z",
      t("land.z"),
      choice(
        "land-z",
        t("land.z"),
        [
          ["linear", t("land.linear")],
          ["log", t("land.log"), t("land.log_hint")],
        ],
        scale.value,
        choose("land.z", "linear"),
      ),
    )}
    ${viewMenu("land-options", changed(), options())}`;
}

/** How many settings of the menu differ from their defaults. */
const changed = () =>
  [
    [clip.value, "off"],
    [colours.value, "viridis"],
    [count.value, "15"],
    [between.value, "curved"],
  ].filter(([value, byDefault]) => value !== byDefault).length;

const options = () => html`
  ${option(
    t("land.clip_label"),
    select(
      "land-clip",
      t("land.clip"),
      CLIPS.map((part) => [part, t(part === "off" ? "land.clip_off" : "land.clip_at", { part })]),
      clip.value,
      choose("land.clip", "off"),
    ),
  )}
  ${option(
    t("land.colours"),
    select(
      "land-scale",
      t("land.colours"),
      SCALES.map((name) => [name, t(`land.colours_${name}`)]),
      colours.value,
      choose("land.scale", "viridis"),
    ),
  )}
  ${option(
    t("land.levels_label"),
    select(
      "land-levels",
      t("land.levels"),
      COUNTS.map((n) => [n, t("land.levels_about", { n })]),
      count.value,
      choose("land.levels", "15"),
    ),
  )}
  ${option(
    t("land.between_label"),
    choice(
      "land-between",
      t("land.between_hint"),
      [
        ["curved", t("land.between_curved")],
        ["straight", t("land.between_straight")],
      ],
      between.value,
      choose("land.between", "curved"),
    ),
  )}`;

/** @param {import("./model/landscapes.js").Choice} first */
function runChoice(first) {
  const names = [...available.value.keys()];
  if (names.length < 2) return nothing;
  return slot(
    "run",
    t("land.run"),
    select(
      "land-run",
      t("land.run"),
      names.map((run) => [run, nameOf(run)]),
      first.run,
      (run) => show({ run, tag: sameTagIn(run, first.tag) }),
    ),
  );
}

/** The same tag in another run, if it exists there. @param {string} run @param {string} tag */
const sameTagIn = (run, tag) =>
  available
    .peek()
    .get(run)
    ?.some((row) => row.tag === tag)
    ? tag
    : "";

/** @param {import("./model/landscapes.js").Choice} first */
function tagChoice(first) {
  const tags = available.value.get(first.run) ?? [];
  const options = tags.map(({ tag }) => /** @type {[string, string, string]} */ ([tag, titleOf(tag), tag]));
  const chosen = (/** @type {string} */ tag) => show({ run: first.run, tag });
  if (tags.length < 2) return nothing;
  return tags.length <= MAX_BUTTONS
    ? choice("land-tag", t("land.tag"), options, first.tag, chosen)
    : select(
        "land-tag",
        t("land.tag"),
        options.map(([tag, text]) => [tag, text]),
        first.tag,
        chosen,
      );
}

/** Adds a landscape to the comparison. */
function compareChoice() {
  const shownKeys = new Set(shown.value.map(keyOf));
  const remaining = [...available.value]
    .flatMap(([run, tags]) => tags.map(({ tag }) => ({ run, tag })))
    .filter((candidate) => !shownKeys.has(keyOf(candidate)));
  if (!remaining.length || !canAdd.value) return nothing;
  const isOneRun = available.value.size < 2;
  // Keyed by the selection, so that the list returns to its first entry after each choice.
  return keyed(
    [...shownKeys].join(),
    select(
      "land-compare",
      t("land.compare_hint"),
      [
        ["", t("land.compare")],
        ...remaining.map(
          (candidate) =>
            /** @type {[string, string]} */ ([
              keyOf(candidate),
              isOneRun ? titleOf(candidate.tag) : `${nameOf(candidate.run)} · ${titleOf(candidate.tag)}`,
            ]),
        ),
      ],
      "",
      (key) => {
        const [run, tag] = JSON.parse(key || "[]");
        if (run !== undefined) compare({ run, tag });
      },
    ),
  );
}
