// Times and numbers in words. Pure.

/** How long ago: "now", "4 min", "2 h", "3 d". */
export function ago(then, now = Date.now()) {
  const seconds = Math.max(0, (now - then) / 1000);
  if (seconds < 60) return "now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86400)} d`;
}

/** Milliseconds as minutes and seconds, with hours from the first on: "0:42", "1:02:03". */
export function clock(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts = hours ? [hours, String(minutes).padStart(2, "0")] : [minutes];
  return [...parts, String(seconds % 60).padStart(2, "0")].join(":");
}

/** When something comes: "15:00 (in 42 min)", with the day unless it is today; `brief` without the rest. */
export function until(then, brief = false, now = Date.now()) {
  const day = new Date(then).toDateString() === new Date(now).toDateString() ? {} : { weekday: "short" };
  const at = new Date(then).toLocaleString([], { ...day, hour: "numeric", minute: "2-digit" });
  return brief || then <= now ? at : `${at} (in ${ago(now, then + 59999)})`;
}

/** What a countdown says, and how urgent it is; `answer` is given when the time is up. */
export function left(until, now = Date.now(), answer = "") {
  const seconds = Math.ceil((until - now) / 1000);
  if (seconds <= 0) return { text: "Time is up", urgency: "over" };
  const time = clock(seconds * 1000);
  const text = answer ? `Answers ${answer} in ${time}` : `${time} left to answer`;
  return { text, urgency: seconds <= 60 ? "now" : seconds <= 120 ? "soon" : "calm" };
}

/** The labels that answer a question, with the text of Other where its box is ticked or nothing else is. */
export function labelsOf(values, other) {
  const labels = values.filter(Boolean);
  return other && (!labels.length || values.includes("")) ? [...labels, other] : labels;
}

/** A page's title with the count of what waits before it. */
export function titled(title, count) {
  const bare = title.replace(/^\(\d+\) /, "");
  return count ? `(${count}) ${bare}` : bare;
}
