// The settings of the landscape page: which landscapes, how they are drawn.

import { html, nothing } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import { SCALES } from "../../charts/landscape/scales.js";
import { choice, select } from "../../controls/choice.js";
import { nameOf } from "../../controls/run_row.js";
import { titleOf } from "./captions.js";
import { compare, hasRoom, keyOf, offered, show, shown } from "./model/landscapes.js";
import { between, CLIPS, COUNTS, choose, clip, colours, count, scale, VIEWS, view } from "./settings.js";
import { t } from "./words.js";

/** Landscapes of a run that are told as buttons; more are a list. */
const MOST_BUTTONS = 4;

export function toolbar() {
  const [first] = shown.value;
  if (!first) return nothing;
  return html`
    ${whichRun(first)}
    ${whichTag(first)}
    ${another()}
    <span class="space"></span>
    ${choice(
      "land-view",
      t("land.view"),
      VIEWS.map((name) => [name, t(`land.view_${name}`), t(`land.view_${name}_hint`)]),
      view.value,
      choose("land.view", "filled"),
    )}
    ${choice(
      "land-z",
      t("land.z"),
      [
        ["linear", t("land.linear")],
        ["log", t("land.log"), t("land.log_hint")],
      ],
      scale.value,
      choose("land.z", "linear"),
    )}
    ${select(
      "land-clip",
      t("land.clip"),
      CLIPS.map((part) => [part, t(part === "off" ? "land.clip_off" : "land.clip_at", { part })]),
      clip.value,
      choose("land.clip", "off"),
    )}
    ${select(
      "land-scale",
      t("land.colours"),
      SCALES.map((name) => [name, t(`land.colours_${name}`)]),
      colours.value,
      choose("land.scale", "viridis"),
    )}
    ${select(
      "land-levels",
      t("land.levels"),
      COUNTS.map((n) => [n, t("land.levels_about", { n })]),
      count.value,
      choose("land.levels", "15"),
    )}
    ${choice("land-between", t("land.between_hint"), [["curved", t("land.between_curved")]], between.value, () =>
      choose("land.between", "curved")(between.value === "curved" ? "straight" : "curved"),
    )}`;
}

/** @param {import("./model/landscapes.js").Choice} first */
function whichRun(first) {
  const names = [...offered.value.keys()];
  if (names.length < 2) return nothing;
  return select(
    "land-run",
    t("land.run"),
    names.map((run) => [run, nameOf(run)]),
    first.run,
    (run) => show({ run, tag: sameIn(run, first.tag) }),
  );
}

/** The landscape of the same name in another run, if it has it. @param {string} run @param {string} tag */
const sameIn = (run, tag) =>
  offered
    .peek()
    .get(run)
    ?.some((row) => row.tag === tag)
    ? tag
    : "";

/** @param {import("./model/landscapes.js").Choice} first */
function whichTag(first) {
  const tags = offered.value.get(first.run) ?? [];
  const options = tags.map(({ tag }) => /** @type {[string, string, string]} */ ([tag, titleOf(tag), tag]));
  const chosen = (/** @type {string} */ tag) => show({ run: first.run, tag });
  if (tags.length < 2) return nothing;
  return tags.length <= MOST_BUTTONS
    ? choice("land-tag", t("land.tag"), options, first.tag, chosen)
    : select(
        "land-tag",
        t("land.tag"),
        options.map(([tag, text]) => [tag, text]),
        first.tag,
        chosen,
      );
}

/** Sets one more beside those that are shown. */
function another() {
  const taken = new Set(shown.value.map(keyOf));
  const left = [...offered.value]
    .flatMap(([run, tags]) => tags.map(({ tag }) => ({ run, tag })))
    .filter((one) => !taken.has(keyOf(one)));
  if (!left.length || !hasRoom.value) return nothing;
  const isOneRun = offered.value.size < 2;
  // Made anew after each choice: it stands at its first entry again.
  return keyed(
    [...taken].join(),
    select(
      "land-compare",
      t("land.compare_hint"),
      [
        ["", t("land.compare")],
        ...left.map(
          (one) =>
            /** @type {[string, string]} */ ([
              keyOf(one),
              isOneRun ? titleOf(one.tag) : `${nameOf(one.run)} · ${titleOf(one.tag)}`,
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
