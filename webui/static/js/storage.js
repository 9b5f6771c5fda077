// What a page remembers in this browser. Where there is no room, the page works without.

/** Remembers a value, or forgets it if it is empty. */
export function remember(key, value, storage = localStorage) {
  try {
    if (value) storage.setItem(key, value);
    else storage.removeItem(key);
  } catch {} // full
}
