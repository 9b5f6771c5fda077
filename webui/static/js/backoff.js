// How long to wait before the next attempt: 1 s, doubled each time, at most 30 s, spread a little.

/** Milliseconds before attempt number `attempt`, which counts from 0. */
export const delay = (attempt, random = Math.random) => Math.round(Math.min(1000 * 2 ** attempt, 30000) * (0.8 + 0.2 * random()));
