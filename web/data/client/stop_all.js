// Ends several things together: effects, observations, listeners.

/** @param {readonly (() => void)[]} stops @returns {() => void} */
export const stopAll = (stops) => () => {
  for (const stop of stops) stop();
};
