// The run colours of the light theme, as notes store them; the page draws them in the colours of its theme.

/** Must be --run-1 to --run-12 of app/tokens.css. */
export const PALETTE = [
  "#2374c6",
  "#cc6a12",
  "#17916b",
  "#b4539a",
  "#2b94bd",
  "#5c5a00",
  "#5a45c8",
  "#7a4a2a",
  "#e0609a",
  "#006570",
  "#3e4a5e",
  "#4f9a1c",
];
