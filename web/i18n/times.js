// Durations and wall times as text, in the reader's time zone.

/** @param {number} number */
const two = (number) => String(number).padStart(2, "0");

/** Wall times have no more decimals. */
const MAX_DECIMALS = 6;

/** Decimals of seconds with which times that differ by the resolution read differently. @param {number} resolution */
const decimalsFor = (resolution) => Math.max(0, Math.min(MAX_DECIMALS, Math.ceil(-Math.log10(resolution))));

/** "0.52s", "12.3s", "4m 05s", "3h 12m", "2d 04h"; seconds in.
 * @param {number} seconds @param {number} [resolution] times that differ by this read differently
 * @returns {string} */
export function duration(seconds, resolution = Infinity) {
  if (!Number.isFinite(seconds)) return "";
  if (seconds < 0) return `−${duration(-seconds, resolution)}`;
  const decimals = decimalsFor(resolution);
  if (seconds < 10) return `${seconds.toFixed(Math.max(2, decimals))}s`;
  if (seconds < 60) return `${seconds.toFixed(Math.max(1, decimals))}s`;
  const [whole, fraction = ""] = seconds.toFixed(decimals).split(".");
  const total = Number(whole);
  const [days, hours, minutes] = [Math.floor(total / 86400), Math.floor(total / 3600), Math.floor(total / 60)];
  const secondsPart = ` ${two(total % 60)}${fraction && `.${fraction}`}s`;
  if (total < 3600) return `${minutes}m${secondsPart}`;
  const fine = resolution < 60 ? secondsPart : "";
  if (total < 86400) return `${hours}h ${two(minutes % 60)}m${fine}`;
  return `${days}d ${two(hours % 24)}h${resolution < 3600 ? ` ${two(minutes % 60)}m${fine}` : ""}`;
}

/** "2026-11-21 03:46:12"; seconds since 1970 in.
 * @param {number} seconds @param {number} [resolution] times that differ by this read differently */
export function wallTime(seconds, resolution = Infinity) {
  const decimals = decimalsFor(resolution);
  if (decimals === 0) return `${day(seconds)} ${clock(seconds)}`;
  const [whole, fraction] = seconds.toFixed(decimals).split(".");
  return `${day(Number(whole))} ${clock(Number(whole))}.${fraction}`;
}

/** "2026-11-21".
 * @param {number} seconds */
export function day(seconds) {
  const date = new Date(seconds * 1000);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** "03:46:12".
 * @param {number} seconds */
export function clock(seconds) {
  const date = new Date(seconds * 1000);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
