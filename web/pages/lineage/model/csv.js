// Comma-separated values (RFC 4180).

/** @param {readonly (readonly (string | number | null)[])[]} lines @returns {string} */
export const csvOf = (lines) => lines.map((line) => `${line.map(field).join(",")}\r\n`).join("");

/** Numbers have full precision; missing values are empty. @param {string | number | null} value */
function field(value) {
  const text = value === null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
