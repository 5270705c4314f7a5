// The run colours of the light theme, as notes store them; the page draws them in the colours of its theme.

/** Must be --run-1 to --run-24 of app/tokens.css. Neighbours differ most: few groups or tags have the first ones. */
export const PALETTE = [
  "#1d6ada",
  "#ca824f",
  "#4b5800",
  "#cc4c86",
  "#6c2338",
  "#d63b35",
  "#1641aa",
  "#026854",
  "#467d3c",
  "#668efd",
  "#ab47b3",
  "#b08900",
  "#ec697a",
  "#630d72",
  "#806812",
  "#a779d2",
  "#5b9e7d",
  "#8e346f",
  "#6a548c",
  "#174c18",
  "#823e32",
  "#a96b5a",
  "#3a95ad",
  "#965562",
];
