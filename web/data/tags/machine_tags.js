// Tags of what was measured of the machine: utilization, memory, temperatures.

/** As this project's recorder, W&B and others name them. */
const OF_MACHINE = /^(machine|system)[./]/;

/** @param {string} tag */
export const isOfMachine = (tag) => OF_MACHINE.test(tag);
