// The selection of the card size.

import { cardSize, change } from "../data/view/view.js";
import { t } from "../i18n/words.js";
import { choice } from "./choice.js";

export const sizeChoice = () =>
  choice(
    "size",
    t("bar.size"),
    [
      ["s", "S", t("bar.size_s")],
      ["m", "M", t("bar.size_m")],
      ["l", "L", t("bar.size_l")],
    ],
    cardSize.value,
    (size) => change({ size: /** @type {"s" | "m" | "l"} */ (size) }),
  );
