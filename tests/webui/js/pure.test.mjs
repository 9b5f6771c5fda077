// The page's pure modules: text and events in, values out.

import assert from "node:assert/strict";
import { test } from "node:test";

const from = (name) => import(new URL(`../../../webui/static/js/${name}.js`, import.meta.url));
const { delay } = await from("backoff");
const { Parser } = await from("sse");
const { waitingAfter } = await from("waiting");
const { labelsOf } = await from("format");
const { ago, clock, left, titled } = await from("format");

test("attempts wait from one second up to thirty", () => {
  const waits = [0, 1, 2, 3, 4, 5, 60].map((attempt) => delay(attempt, () => 1));
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16000, 30000, 30000]);
  assert.equal(delay(0, () => 0), 800);
});

test("a clock has hours once there are some", () => {
  const times = [0, 42_000, 3_599_000, 3_600_000, 100_000_000].map(clock);
  assert.deepEqual(times, ["0:00", "0:42", "59:59", "1:00:00", "27:46:40"]);
});

test("a stream is read however it is cut", () => {
  const text = ": hi\n\nid: e-1\nevent: a\ndata: {\"x\":\ndata: 1}\n\nretry: 5\r\ndata: b\r\n\r\nevent: none\n\n";
  const whole = new Parser().feed(text);
  assert.deepEqual(whole, [
    { type: "a", data: '{"x":\n1}', id: "e-1" },
    { type: "message", data: "b", id: "" },
  ]);
  for (let size = 1; size < 9; size += 1) {
    const parser = new Parser();
    const found = [];
    for (let at = 0; at < text.length; at += size) found.push(...parser.feed(text.slice(at, at + size)));
    assert.deepEqual(found, whole, `cut every ${size}`);
  }
});

test("what waits follows the events", () => {
  const prompt = { requestId: "r1", sessionId: "s1", state: "pending" };
  const none = new Map();
  const one = waitingAfter(none, "approval_required", prompt);
  assert.deepEqual([...one], [["r1", "s1"]]);
  assert.equal(waitingAfter(one, "prompt_updated", { ...prompt, state: "answering" }), one);
  assert.equal(waitingAfter(one, "text_delta", { sessionId: "s1" }), one);
  assert.equal(waitingAfter(one, "prompt_resolved", { ...prompt, state: "answered" }).size, 0);
  assert.equal(waitingAfter(one, "session_removed", { sessionId: "s1" }).size, 0);
  const snapshot = { prompts: [{ requestId: "r2", sessionId: "s2" }] };
  assert.deepEqual([...waitingAfter(one, "snapshot", snapshot)], [["r2", "s2"]]);
});

test("the text of Other counts where its box is ticked, or nothing else is", () => {
  assert.deepEqual(labelsOf(["Red"], "ignored"), ["Red"]);
  assert.deepEqual(labelsOf(["A", ""], "mine"), ["A", "mine"]);
  assert.deepEqual(labelsOf([], "typed"), ["typed"]);
  assert.deepEqual(labelsOf([""], ""), []);
});

test("times are put in words", () => {
  const now = Date.parse("2026-11-21T12:00:00Z");
  const then = (seconds) => ago(now - seconds * 1000, now);
  assert.deepEqual([-5, 59, 61, 7200, 200000].map(then), ["now", "now", "1 min", "2 h", "2 d"]);
  assert.deepEqual(left(now + 125000, now), { text: "2:05 left to answer", urgency: "calm" });
  assert.equal(left(now + 90000, now).urgency, "soon");
  assert.equal(left(now + 9000, now).text, "0:09 left to answer");
  assert.equal(left(now + 581000, now, "yes").text, "Answers yes in 9:41");
  assert.equal(left(now - 1, now).urgency, "over");
});

test("the title has the count of what waits before it", () => {
  assert.equal(titled("ClawTap", 2), "(2) ClawTap");
  assert.equal(titled("(2) ClawTap", 13), "(13) ClawTap");
  assert.equal(titled("(13) ClawTap", 0), "ClawTap");
});

test("the text of a piece of HTML ends before its last closing tags", async () => {
  const { textEnd } = await from("grow");
  const ends = ["", "<p>a</p>\n", "<ul><li>a <b>b</b></li>\n</ul>", "a</p> b", "<p>a<br></p>", "a &lt;/b&gt;"].map(textEnd);
  assert.deepEqual(ends, [0, 4, 14, 7, 8, 12]);
});

test("when a limit ends is a time of day, with the day unless it is today", async () => {
  const { until } = await from("format");
  const noon = new Date(2026, 10, 23, 12).getTime();
  assert.match(until(noon + 42 * 60000, false, noon), /^12:42.* \(in 42 min\)$/);
  assert.match(until(noon + 42 * 60000, true, noon), /^12:42[^(]*$/);
  assert.match(until(noon + 24 * 3600000, true, noon), /Tue/);
});
