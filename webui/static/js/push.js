// <ct-push>: notices on this device, on and off. Also the app's worker, and presence reports.

import { call, post, sentence } from "./api.js";
import { TAB, recall, remember } from "./storage.js";
import { toast } from "./toast.js";

const LOOKS = 20000;
const AWAY = 120000;

class Push extends HTMLElement {
  #state = {};
  #subscription = null;

  async connectedCallback() {
    this.addEventListener("click", (event) => this.#click(event));
    this.addEventListener("change", () => this.#subscribe());
    // What the last visit found keeps its place until it is known again, so that nothing below moves under a finger.
    this.#arrange(recall("push") === "on", !impossible());
    await this.#look();
  }

  #arrange(on, possible) {
    this.querySelector("[data-push-on]").hidden = on || !possible;
    this.querySelector("[data-push-rest]").hidden = !on;
  }

  async #look() {
    const why = impossible();
    if (why) return this.#show(why);
    try {
      this.#state = await call("GET", "/api/push");
      const worker = await navigator.serviceWorker.ready;
      this.#subscription = await worker.pushManager.getSubscription();
    } catch (error) {
      return this.#show(sentence(error));
    }
    return this.#show(this.#state.available ? "" : this.#state.reason);
  }

  #show(problem) {
    const known = this.#state.subscriptions?.find((one) => one.endpoint === this.#subscription?.endpoint);
    const on = Boolean(known) && !problem;
    this.toggleAttribute("data-on", on);
    this.#arrange(on, !problem);
    remember("push", on ? "on" : "off");
    this.dataset.known = "";
    this.querySelector("[data-push-why]").textContent = problem || (on ? "Notifications are on." : "Notifications are off.");
    if (known) for (const box of this.querySelectorAll("input")) box.checked = known[box.name];
  }

  async #click(event) {
    const act = { on: () => this.#turnOn(), off: () => this.#turnOff(), test: () => this.#test() };
    const button = event.target.closest("[data-push]");
    if (!button || button.disabled) return;
    button.disabled = true;
    await act[button.dataset.push]().catch((error) => toast(sentence(error)));
    button.disabled = false;
  }

  async #turnOn() {
    if ((await Notification.requestPermission()) !== "granted") throw new Error("the browser does not allow notifications from this page");
    const worker = await navigator.serviceWorker.ready;
    const refuse = () => Promise.reject(new Error("the browser refuses notifications here; a private window has none"));
    this.#subscription = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: this.#state.publicKey }).catch(refuse);
    await this.#subscribe();
  }

  async #subscribe() {
    if (!this.#subscription) return;
    const { endpoint, keys } = this.#subscription.toJSON();
    const wants = Object.fromEntries([...this.querySelectorAll("input")].map((box) => [box.name, box.checked]));
    await post("/api/push", { endpoint, keys, ...wants }).catch((error) => toast(sentence(error)));
    await this.#look();
  }

  async #turnOff() {
    await call("DELETE", "/api/push", { endpoint: this.#subscription.endpoint });
    await this.#subscription.unsubscribe();
    await this.#look();
  }

  async #test() {
    const { ok } = await post("/api/push/test", { endpoint: this.#subscription.endpoint });
    toast(ok ? "A notification is on its way." : "This browser no longer takes notifications. Turn them off and on again.");
  }
}

/** Why this page can't get notices; "" when it can. */
function impossible() {
  if (!isSecureContext) return "Notifications need a secure page: open ClawTap through TLS or a tunnel.";
  if (!("serviceWorker" in navigator && "PushManager" in window)) return "This browser has no web push. On an iPhone, add the page to the home screen first.";
  return "";
}

class Offline extends HTMLElement {
  connectedCallback() {
    const back = () => fetch("/healthz", { cache: "no-store" }).then((response) => response.ok && location.replace(location.pathname === "/offline" ? "/" : location.href), () => {});
    setInterval(back, 3000);
    addEventListener("online", back);
  }
}

/** Reports what this page shows and whether it is in use: users need no notification of what they see. */
function reportPresence() {
  // All pages of a tab are one: the next takes the place of one whose leave was lost.
  const page = recall("page", TAB) ?? Math.random().toString(36).slice(2);
  remember("page", page, TAB);
  const sessionId = document.querySelector("ct-session")?.dataset.session ?? (document.querySelector("#waits-title") ? "*" : undefined);
  let moved = Date.now();
  let number = 0;
  const visible = () => document.visibilityState === "visible";
  const report = (used) => ({ page, sessionId, used, number: (number = Math.max(number + 1, Date.now())) });
  const say = () => post("/api/push/watching", report(visible() && Date.now() - moved < AWAY)).catch(() => {});
  // A page that is left does not finish its requests, only beacons.
  const leave = () => navigator.sendBeacon("/api/push/watching", new Blob([JSON.stringify(report(false))], { type: "application/json" }));
  for (const kind of ["pointerdown", "keydown", "scroll"]) addEventListener(kind, () => (moved = Date.now()), { passive: true, capture: true });
  for (const kind of ["visibilitychange", "pageshow"]) addEventListener(kind, () => ((moved = Date.now()), visible() ? say() : leave()), true);
  addEventListener("pagehide", leave);
  setInterval(() => visible() && say(), LOOKS);
}

// A device that may only watch answers nothing, so the others are notified all the same.
if (document.querySelector("meta[name=clawtap-device]") && document.body.dataset.role !== "watch") reportPresence();
if (isSecureContext && "serviceWorker" in navigator) navigator.serviceWorker.register("/sw.js").catch(() => {});

customElements.define("ct-push", Push);
customElements.define("ct-offline", Offline);
