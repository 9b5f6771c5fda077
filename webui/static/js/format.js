// Times and numbers in words. Pure.

/** How long ago: "now", "4 min", "2 h", "3 d". */
export function ago(then, now = Date.now()) {
  const seconds = Math.max(0, (now - then) / 1000);
  if (seconds < 60) return "now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86400)} d`;
}

/** What a countdown says, and how urgent it is. */
export function left(until, now = Date.now()) {
  const seconds = Math.ceil((until - now) / 1000);
  if (seconds <= 0) return { text: "Time is up", urgency: "over" };
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left to answer`;
  return { text, urgency: seconds <= 60 ? "now" : seconds <= 120 ? "soon" : "calm" };
}

/** A page's title with the count of what waits before it. */
export function titled(title, count) {
  const bare = title.replace(/^\(\d+\) /, "");
  return count ? `(${count}) ${bare}` : bare;
}
