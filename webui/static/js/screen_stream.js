// Live screens: one stream for each session that is looked at, shared by all who look.

import { call } from "./api.js";
import { Connection } from "./connection.js";

const watched = new Map();

/** Calls `see(screen)` with every new screen of a session; returns how to stop. */
export function watch(session, see) {
  const entry = watched.get(session) ?? begin(session);
  entry.viewers.add(see);
  if (entry.screen) see(entry.screen);
  return () => {
    entry.viewers.delete(see);
    if (entry.viewers.size) return;
    entry.connection?.close();
    entry.gone.abort();
    watched.delete(session);
  };
}

/** Watches while an element is in sight: a terminal that nobody sees costs nothing. Returns a function that stops it. */
export function watchInSight(element, session, see) {
  let stopWatching = null;
  const observer = new IntersectionObserver((entries) => {
    const inSight = entries.at(-1).isIntersecting;
    if (inSight) stopWatching ??= watch(session, see);
    else stopWatching = void stopWatching?.();
  });
  observer.observe(element);
  return () => {
    observer.disconnect();
    stopWatching?.();
  };
}

/** Takes a screen from the stream, or from a fresh look. */
function seen(session, screen) {
  const entry = watched.get(session);
  if (!entry || (entry.screen && entry.screen.revision > screen.revision)) return;
  entry.screen = screen;
  entry.viewers.forEach((see) => see(screen));
}

/** Looks again at once. */
export async function look(session) {
  seen(session, await call("GET", `/api/sessions/${session}/screen`));
}

function begin(session) {
  const entry = { viewers: new Set(), screen: null, connection: null, gone: new AbortController() };
  watched.set(session, entry);
  const follow = () => {
    if (document.visibilityState === "hidden") entry.connection = void entry.connection?.close();
    else entry.connection ??= open(session);
  };
  document.addEventListener("visibilitychange", follow, { signal: entry.gone.signal });
  follow();
  return entry;
}

function open(session) {
  let live = false;
  const hear = (type, data) => type === "screen" && seen(session, data);
  const tell = (state) => {
    // What was painted while no stream stood is in none of its events.
    if (state === "live" && !live) look(session).catch(() => {});
    live = state === "live";
  };
  return new Connection(`/api/sessions/${session}/events?screen=true`, { hear, tell });
}
