// Tables as comma-separated values (RFC 4180).

/** @param {readonly (readonly (string | number | null)[])[]} lines @returns {string} */
export const csvOf = (lines) => lines.map((line) => `${line.map(field).join(",")}\r\n`).join("");

/** Numbers with every digit they have; what is missing is empty. @param {string | number | null} value */
function field(value) {
  const text = value === null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
