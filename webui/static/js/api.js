// The HTTP API: JSON in and out, and errors that carry its sentence.

export class ApiError extends Error {
  constructor(status, told) {
    super(told.error ?? `the server answered ${status}`);
    this.status = status;
    this.details = told.details ?? {};
  }
}

/** Calls the API; an ApiError tells what it refused, or that it was not reached. */
export const call = (method, path, body) => ask(method, path, body === undefined ? {} : json(body));

/** Sends a file as it is. */
export const send = (path, file) =>
  ask("POST", path, { headers: { "Content-Type": "application/octet-stream" }, body: file });

async function ask(method, path, carried) {
  const response = await reach(method, path, carried);
  const told = await response.json().catch(() => ({}));
  if (response.ok) return told;
  if (response.status === 401 && path !== "/api/login") goToLogin();
  throw new ApiError(response.status, told);
}

export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, body);

/** Leaves for the login page, and comes back here afterwards. */
export function goToLogin() {
  location.assign(`/login?next=${encodeURIComponent(location.pathname)}`);
}

const json = (body) => ({ headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

async function reach(method, path, { headers, body }) {
  const accept = { Accept: "application/json", ...headers };
  try {
    return await fetch(path, { method, credentials: "same-origin", headers: accept, body });
  } catch {
    const error = "ClawTap could not be reached. Nothing was sent; try again.";
    throw new ApiError(0, { error });
  }
}

/** A sentence with its first letter in upper case. */
export function sentence(error) {
  return error.message.charAt(0).toUpperCase() + error.message.slice(1);
}
