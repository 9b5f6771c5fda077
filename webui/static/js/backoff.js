// How long to wait before the next attempt: 1 s, doubled each time, at most 30 s, spread a little.

const FIRST = 1000;
const LONGEST = 30000;

/** Milliseconds before attempt number `attempt`, which counts from 0. */
export const delay = (attempt, random = Math.random) => Math.round(Math.min(FIRST * 2 ** attempt, LONGEST) * (0.8 + 0.2 * random()));
