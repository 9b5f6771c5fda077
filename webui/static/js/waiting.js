// Which prompts wait, over all sessions. Pure: events in, a set of ids out.

const PROMPTS = new Set(["approval_required", "question_prompt", "prompt_updated", "prompt_resolved"]);
const OPEN = new Set(["pending", "answering"]);

/** What waits after an event, as a Map from requestId to sessionId; the same Map if nothing changed. */
export function waitingAfter(waiting, type, data) {
  if (type === "snapshot") return new Map(data.prompts.map((prompt) => [prompt.requestId, prompt.sessionId]));
  if (type === "session_removed") return without(waiting, (_, session) => session === data.sessionId);
  if (!PROMPTS.has(type)) return waiting;
  const open = OPEN.has(data.state ?? "pending") && type !== "prompt_resolved";
  if (open === waiting.has(data.requestId)) return waiting;
  if (!open) return without(waiting, (request) => request === data.requestId);
  return new Map([...waiting, [data.requestId, data.sessionId]]);
}

const without = (waiting, matches) => new Map([...waiting].filter(([request, session]) => !matches(request, session)));
