// Moves and resizes a panel by cells, for keys and menus.

/** @param {number} section @param {string} key @param {Partial<import("./model/edit.js").Box>} by */
export function nudge(section, key, by) {
  const grid = document.querySelector(`panel-grid[data-section="${section}"]`);
  /** @type {import("./grid.js").PanelGrid | null} */ (grid)?.nudge(key, by);
}
