// The form of line charts, and of the settings that panels inherit; and the forms of all kinds.

import { html, nothing } from "lit-html";
import { scalarTags } from "../../../data/runs/catalogue.js";
import { TAG_AXIS } from "../../../data/series/defined_axes.js";
import { AUTOMATIC, METHODS, smoothingText } from "../../../data/series/smoothing.js";
import { definedX } from "../../../data/series/step_metrics.js";
import { CASCADING } from "../model/cascade.js";
import { AXES, BANDS, CENTRES, lineSettings, RAW_STYLES } from "../model/line_settings.js";
import { sourcesOf } from "../model/line_sources.js";
import { parameters } from "../panels/run_values.js";
import { t } from "../words.js";
import { cascadingField, chooser, inputText, listField, rangeFields } from "./fields.js";
import { VALUE_FORMS } from "./value_forms.js";

/** @typedef {import("./editor.js").Target} Target */

/** Tags offered for completion. */
const MAX_OFFERED = 1000;
const TAGS = "ws-tags";
const PARAMETERS = "ws-group-parameters";
const GROUPINGS = /** @type {const} */ (["", "none", "label", "param", "regex"]);

const tagList = () =>
  html`<datalist id=${TAGS}>${(scalarTags.value ?? [])
    .slice(0, MAX_OFFERED)
    .map((tag) => html`<option value=${tag}></option>`)}</datalist>`;

/** The settings of a level, inherited ones included. @param {Target} target */
function current({ own, get }) {
  return lineSettings({ ...own, ...Object.fromEntries(CASCADING.map((name) => [name, get(name).value])) });
}

/** Settings that panels inherit. @param {Target} target */
export function inheritedFields(target) {
  const now = current(target);
  const { put } = target;
  return html`
    ${axisField(target, now)}
    ${smoothingField(target, now.smooth)}
    ${cascadingField(
      target,
      "raw",
      t("ws.raw"),
      chooser(
        "raw",
        t("ws.raw"),
        RAW_STYLES.map((each) => [each, t(`ws.raw_${each}`)]),
        now.raw,
        (value) => put("raw", value),
      ),
    )}
    ${cascadingField(
      target,
      "range",
      t("ws.range"),
      html`${rangeFields("y", now.range.y, (y) => put("range", rangeOf({ ...now.range, y })))}
      ${rangeFields("x", now.range.x, (x) => put("range", rangeOf({ ...now.range, x })))}`,
    )}
    ${cascadingField(
      target,
      "log",
      t("ws.log"),
      chooser(
        "log",
        t("ws.log"),
        [
          ["", t("ws.linear")],
          ["log", t("ws.logarithmic")],
        ],
        now.log ? "log" : "",
        (value) => put("log", value === "log"),
      ),
    )}
    ${cascadingField(
      target,
      "log_x",
      t("ws.log_x"),
      chooser(
        "log_x",
        t("ws.log_x"),
        [
          ["", t("ws.linear")],
          ["log", t("ws.logarithmic")],
        ],
        now.logX ? "log" : "",
        (value) => put("log_x", value === "log"),
      ),
    )}
    ${cascadingField(
      target,
      "outliers",
      t("ws.outliers_label"),
      chooser(
        "outliers",
        t("ws.outliers_label"),
        [
          ["ignored", t("ws.outliers_ignored")],
          ["drawn", t("ws.outliers_drawn")],
        ],
        now.isRobust ? "ignored" : "drawn",
        (value) => put("outliers", value),
      ),
    )}
    ${cascadingField(
      target,
      "legend",
      t("ws.legend"),
      chooser(
        "legend",
        t("ws.legend"),
        [
          ["auto", t("ws.legend_auto")],
          ["on", t("ws.legend_on")],
          ["off", t("ws.legend_off")],
        ],
        now.legend,
        (value) => put("legend", value),
      ),
    )}
    ${cascadingField(
      target,
      "colours",
      t("ws.colours"),
      chooser(
        "colours",
        t("ws.colours"),
        [
          ["run", t("ws.colours_run")],
          ["tag", t("ws.colours_tag")],
        ],
        now.colours,
        (value) => put("colours", value),
      ),
    )}
    ${groupField(target, now)}
    ${tagList()}`;
}

/** @param {Target} target @param {import("../model/line_settings.js").LineSettings} now */
function groupField(target, { grouping }) {
  const { get, put } = target;
  const text = String(get("group").value ?? "");
  const [kind, ...rest] = text.split(":");
  const name = rest.join(":");
  return html`${cascadingField(
    target,
    "group",
    t("ws.group"),
    html`${chooser(
      "group",
      t("ws.group"),
      GROUPINGS.map((each) => [each, t(`ws.group_${each || "off"}`)]),
      kind,
      (chosen) => put("group", chosen === "param" || chosen === "regex" ? `${chosen}:` : chosen),
    )}${
      kind === "param" || kind === "regex"
        ? html`<input class="field" name="group-name" list=${kind === "param" ? PARAMETERS : nothing} .value=${name} spellcheck="false"
          aria-label=${t(`ws.group_${kind}`)} placeholder=${t(`ws.group_${kind}_name`)}
          @change=${(/** @type {Event} */ event) => put("group", `${kind}:${inputText(event).trim()}`)}>`
        : nothing
    }`,
  )}
  ${
    grouping
      ? html`${cascadingField(
          target,
          "centre",
          t("ws.centre"),
          chooser(
            "centre",
            t("ws.centre"),
            CENTRES.map((each) => [each, t(`ws.centre_${each}`)]),
            grouping.centre,
            (value) => put("centre", value),
          ),
        )}
        ${cascadingField(
          target,
          "band",
          t("ws.band"),
          chooser(
            "band",
            t("ws.band"),
            BANDS.map((each) => [each, t(`ws.band_${each}`)]),
            grouping.band,
            (value) => put("band", value),
          ),
        )}`
      : nothing
  }
  <datalist id=${PARAMETERS}>${parameters.value.map(({ name }) => html`<option value=${name}></option>`)}</datalist>`;
}

/** @param {import("../model/line_settings.js").LineSettings["range"]} range */
const rangeOf = ({ x, y }) => ([...x, ...y].some((end) => end !== null) ? { x, y } : undefined);

/** The tag that is the x axis of a panel while none is chosen; "" = none.
 * @param {Target} target @param {import("../model/line_settings.js").LineSettings} now */
const automaticAxis = (target, now) =>
  target.level === "panel" && target.get("axis").from === null
    ? definedX(sourcesOf(now, scalarTags.value ?? []).sources)
    : "";

/** @param {Target} target @param {import("../model/line_settings.js").LineSettings} now */
function axisField(target, now) {
  const { axis, x } = now;
  const automatic = automaticAxis(target, now);
  const isChosen = target.get("axis").from !== null;
  /** @type {Array<[string, string]>} */
  const unchosen = [["", automatic ? t("ws.axis_defined", { x: automatic }) : t("ws.axis_auto")]];
  return cascadingField(
    target,
    "axis",
    t("ws.axis"),
    html`${chooser(
      "axis",
      t("ws.axis"),
      [
        ...(isChosen ? [] : unchosen),
        ...AXES.map((each) => /** @type {[string, string]} */ ([each, t(`ws.axis_${each}`)])),
        ["value", t("ws.axis_value")],
      ],
      isChosen ? axis : "",
      (value) =>
        target.put(
          "axis",
          value === "value" ? `${TAG_AXIS}${x || automatic || (scalarTags.peek()?.[0] ?? "")}` : value,
        ),
    )}${
      axis === "value"
        ? html`<input class="field" name="axis-tag" list=${TAGS} aria-label=${t("ws.axis_value")} .value=${x} spellcheck="false"
          @change=${(/** @type {Event} */ event) => target.put("axis", `${TAG_AXIS}${inputText(event).trim()}`)}>`
        : nothing
    }`,
  );
}

const STRENGTHS = { ema: 0.6, time: 100, median: 11 };

/** @param {Target} target @param {string} smooth */
function smoothingField(target, smooth) {
  const [method, strength = ""] = smooth.split(":");
  return cascadingField(
    target,
    "smooth",
    t("ws.smoothing"),
    html`<span class="ws-smoothing">${chooser(
      "smooth",
      t("ws.smoothing"),
      [
        [AUTOMATIC, t("ws.smooth_auto")],
        ["", t("ws.smooth_off")],
        ...METHODS.map((each) => /** @type {[string, string]} */ ([each, t(`ws.smooth_${each}`)])),
      ],
      method,
      (value) =>
        target.put(
          "smooth",
          METHODS.some((each) => each === value)
            ? smoothingText(/** @type {"ema"} */ (value), STRENGTHS[/** @type {"ema"} */ (value)])
            : value,
        ),
    )}${
      strength
        ? html`<input class="field" type="number" step="any" min="0" aria-label=${t("ws.strength")} .value=${strength}
          @change=${(/** @type {Event} */ event) =>
            target.put(
              "smooth",
              smoothingText(
                /** @type {"ema"} */ (method),
                clamped(/** @type {"ema"} */ (method), Number(inputText(event))),
              ),
            )}>`
        : nothing
    }</span>`,
  );
}

/** @param {"ema" | "time" | "median"} method @param {number} strength */
const clamped = (method, strength) => (method === "ema" ? Math.min(strength, 0.999) : strength);

/** @param {Target} target */
function linesForm(target) {
  const now = current(target);
  const { put } = target;
  const list = (/** @type {string[]} */ values) => (values.length ? values : undefined);
  const side = (/** @type {string} */ name) =>
    chooser(
      `side`,
      `${t("ws.side")}: ${name}`,
      [
        ["left", t("ws.left_axis")],
        ["right", t("ws.right_axis")],
      ],
      now.right.includes(name) ? "right" : "left",
      (value) =>
        put("right", list(value === "right" ? [...now.right, name] : now.right.filter((each) => each !== name))),
    );
  return html`
    ${listField("tags", t("ws.tags"), now.tags, (tags) => put("tags", list(tags)), { list: TAGS, placeholder: t("ws.add_tag"), more: side })}
    ${listField("patterns", t("ws.patterns"), now.patterns, (patterns) => put("patterns", list(patterns)), { placeholder: t("ws.add_pattern") })}
    ${listField("expressions", t("ws.expressions"), now.expressions, (expressions) => put("expressions", list(expressions)), { placeholder: t("ws.add_expression"), more: side })}
    ${now.expressions.length || now.axis === "value" || automaticAxis(target, now) ? joinField(target, now) : nothing}
    ${now.expressions.length ? rateField(target, now) : nothing}
    ${inheritedFields(target)}`;
}

/** @param {Target} target @param {import("../model/line_settings.js").LineSettings} now */
const joinField = (target, { join }) =>
  cascadingField(
    target,
    "join",
    t("ws.join"),
    chooser(
      "join",
      t("ws.join"),
      [
        ["equal", t("ws.join_equal")],
        ["last", t("ws.join_last")],
      ],
      join,
      (value) => target.put("join", value),
    ),
  );

/** @param {Target} target @param {import("../model/line_settings.js").LineSettings} now */
const rateField = (target, { rate }) =>
  cascadingField(
    target,
    "rate",
    t("ws.rate"),
    chooser(
      "rate",
      t("ws.rate"),
      [
        ["step", t("ws.rate_step")],
        ["second", t("ws.rate_second")],
      ],
      rate,
      (value) => target.put("rate", value),
    ),
  );

/** @type {Record<string, (target: Target) => unknown>} */
export const FORMS = { lines: linesForm, ...VALUE_FORMS };
