// The HTTP API: JSON in and out, and errors that carry its sentence.

export class ApiError extends Error {
  constructor(status, told) {
    super(told.error ?? `the server answered ${status}`);
    this.status = status;
    this.code = told.code ?? "unknown";
    this.details = told.details ?? {};
  }
}

/** Calls the API; an ApiError tells what it refused, or that it was not reached. */
export async function call(method, path, body) {
  const response = await reach(method, path, body);
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

async function reach(method, path, body) {
  const options = { method, credentials: "same-origin", headers: { Accept: "application/json" } };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  try {
    return await fetch(path, options);
  } catch {
    const error = "ClawTap could not be reached. Nothing was sent; try again.";
    throw new ApiError(0, { error, code: "unreachable" });
  }
}

/** A sentence with its first letter in upper case. */
export function sentence(error) {
  return error.message.charAt(0).toUpperCase() + error.message.slice(1);
}
