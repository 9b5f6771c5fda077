// What a page remembers in this browser. Where that is full or turned off, the page works without.

/** The storage of this tab alone. */
export const TAB = "sessionStorage";

/** Remembers a value, or forgets it if it is empty. */
export function remember(key, value, storage = "localStorage") {
  try {
    if (value) window[storage].setItem(key, value);
    else window[storage].removeItem(key);
  } catch {} // full, or none
}

/** Returns what was remembered, or null. */
export function recall(key, storage = "localStorage") {
  try {
    return window[storage].getItem(key);
  } catch {
    return null;
  }
}
