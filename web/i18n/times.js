// Durations and wall times as text, in the reader's time zone.

/** @param {number} number */
const two = (number) => String(number).padStart(2, "0");

/** "0.52 s", "12.3 s", "4m 05s", "3h 12m", "2d 04h"; seconds in.
 * @param {number} seconds @returns {string} */
export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "";
  if (seconds < 0) return `−${duration(-seconds)}`;
  if (seconds < 10) return `${seconds.toFixed(2)}s`;
  if (seconds < 60) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)}h ${two(Math.floor((whole % 3600) / 60))}m`;
  return `${Math.floor(whole / 86400)}d ${two(Math.floor((whole % 86400) / 3600))}h`;
}

/** "2026-11-21 03:46:12"; seconds since 1970 in.
 * @param {number} seconds */
export function wallTime(seconds) {
  return `${day(seconds)} ${clock(seconds)}`;
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
