// Requests to the server: JSON to the API, and the page's own forms as they are.

export class ApiError extends Error {
  constructor(status, body) {
    super(body.error ?? `the server answered ${status}`);
    this.status = status;
    this.details = body.details ?? {};
  }
}

/** Calls the API; throws an ApiError when it refuses or cannot be reached. */
export const call = (method, path, body, more) => requestJson(method, path, { ...(body === undefined ? {} : json(body)), ...more });

export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, body);

/** Uploads a file as it is. */
export const upload = (path, file) =>
  requestJson("POST", path, { headers: { "Content-Type": "application/octet-stream" }, body: file });

/** Sends a form as a browser would; the reply holds what changed in place of a redirect. */
export const postForm = (path, fields) =>
  request("POST", path, { headers: { "X-ClawTap-Script": "1" }, body: fields });

async function requestJson(method, path, options) {
  return (await request(method, path, options)).json().catch(() => ({}));
}

async function request(method, path, { headers, ...rest }) {
  const response = await fetch(path, { method, headers: { Accept: "application/json", ...headers }, ...rest }).catch(() => null);
  if (response?.ok) return response;
  if (!response) throw new ApiError(0, { error: "ClawTap could not be reached. Nothing was sent; try again." });
  if (response.status === 401 && path !== "/api/login") goToLogin();
  throw new ApiError(response.status, await response.json().catch(() => ({})));
}

/** Leaves for the login page, which comes back here. */
export const goToLogin = () => location.assign(`/login?next=${encodeURIComponent(location.pathname)}`);

const json = (body) => ({ headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/** Returns an error's message with its first letter in upper case. */
export const sentence = ({ message }) => message.charAt(0).toUpperCase() + message.slice(1);
