// The service worker: an offline shell, and notices. It keeps no page that holds anything private.
// The server puts BUILD and SHELL, the files of this build, before this text.

const CACHE = `clawtap-${BUILD}`;
const READ_FOR = 4000;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(SHELL)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("clawtap-") && name !== CACHE;
  const clean = caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))));
  event.waitUntil(clean.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (request.mode === "navigate") event.respondWith(fetch(request).catch(() => caches.match("/offline")));
  else if (url.pathname.startsWith("/static/")) event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)));
});

self.addEventListener("push", (event) => {
  event.waitUntil(showPush(event.data?.json() ?? {}));
});

const BUTTONS = { approve: "Allow once", deny: "Deny" };
const DONE = { answered: "Allowed once", denied: "Denied" };

/** Shows a notice in place of the one before it; one that was answered elsewhere closes soon. */
async function showPush({ title, body, tag, url = "/", waiting, asks = false, answers = {}, silent = false, close = false }) {
  const shown = await self.registration.getNotifications({ tag });
  if (close && !shown.length) return;
  if (waiting !== undefined) self.navigator.setAppBadge?.(waiting).catch(() => {});
  const actions = Object.keys(BUTTONS).filter((name) => answers[name]).map((name) => ({ action: name, title: BUTTONS[name] }));
  if (asks && !actions.length) actions.push({ action: "open", title: "Open" });
  await show(title ?? "ClawTap", { body, tag, silent: silent || close, actions, data: { url, answers, close } });
  if (close) await closeSoon(tag);
}

function show(title, options) {
  return self.registration.showNotification(title, { icon: ICON, badge: ICON, renotify: !options.silent, ...options });
}

const ICON = SHELL.find((path) => path.endsWith("touch.png"));

/** Closes a notice that only reports an outcome, unless a newer one replaced it. */
async function closeSoon(tag) {
  await new Promise((done) => setTimeout(done, READ_FOR));
  for (const notice of await self.registration.getNotifications({ tag })) if (notice.data?.close) notice.close();
}

self.addEventListener("notificationclick", (event) => {
  const { title, tag, data } = event.notification;
  const token = data?.answers?.[event.action];
  // The outcome takes the notice's place: closing it first could close what replaces it.
  if (token) return event.waitUntil(answer(token, title, tag, data.url));
  event.notification.close();
  event.waitUntil(open(new URL(data?.url ?? "/", location.origin).href));
});

/** Sends the answer of a button and shows the outcome. */
async function answer(token, title, tag, url) {
  let body;
  let close = false;
  try {
    const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }) };
    const response = await fetch("/api/notices/answer", options);
    const reply = await response.json();
    close = response.ok;
    body = response.ok ? DONE[reply.state] ?? "Answered" : `Not answered: ${reply.error}`;
  } catch {
    body = "ClawTap cannot be reached, so this may not be answered. Tap to open it.";
  }
  await show(title, { body, tag, silent: close, data: { url, close } });
  if (close) await closeSoon(tag);
}

async function open(url) {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = windows.find((one) => one.url === url) ?? windows.find((one) => one.visibilityState === "visible") ?? windows[0];
  if (!page) return self.clients.openWindow(url);
  await page.focus().catch(() => {});
  return page.url === url ? page : page.navigate(url).catch(() => self.clients.openWindow(url));
}
