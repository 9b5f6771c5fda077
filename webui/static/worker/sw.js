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
  event.waitUntil(tell(event.data?.json() ?? {}));
});

/** Shows a notice in the place of the one before it; one that was answered elsewhere goes soon. */
async function tell({ title, body, tag, url = "/", waiting, close = false }) {
  const shown = await self.registration.getNotifications({ tag });
  if (close && !shown.length) return;
  if (waiting !== undefined) await self.navigator.setAppBadge?.(waiting).catch(() => {});
  const options = { body, tag, data: { url }, icon: ICON, badge: ICON, renotify: !close, silent: close };
  await self.registration.showNotification(title ?? "ClawTap", options);
  if (close) await new Promise((done) => setTimeout(done, READ_FOR)).then(() => withdraw(tag));
}

const ICON = SHELL.find((path) => path.endsWith("touch.png"));

async function withdraw(tag) {
  for (const notice of await self.registration.getNotifications({ tag })) notice.close();
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(new URL(event.notification.data?.url ?? "/", location.origin).href));
});

async function open(url) {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = windows.find((one) => one.url === url) ?? windows.find((one) => one.visibilityState === "visible") ?? windows[0];
  if (!page) return self.clients.openWindow(url);
  await page.focus().catch(() => {});
  return page.url === url ? page : page.navigate(url).catch(() => self.clients.openWindow(url));
}
