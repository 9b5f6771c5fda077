// Requests to the server: JSON to the API, and the page's own forms as they are.

export class ApiError extends Error {
  constructor(status, body) {
    super(body.error ?? `the server answered ${status}`);
    this.status = status;
    this.details = body.details ?? {};
  }
}

/** Calls the API; throws an ApiError when it refuses or cannot be reached. A file is sent as it is. */
export async function call(method, path, body) {
  const [type, content] = body instanceof File ? ["application/octet-stream", body] : ["application/json", JSON.stringify(body)];
  const headers = content === undefined ? {} : { "Content-Type": type };
  return (await request(method, path, { headers, body: content })).json().catch(() => ({}));
}

export const post = (path, body = {}) => call("POST", path, body);

/** Sends a form as a browser would; the reply holds what changed in place of a redirect. */
export const postForm = (path, fields, headers = {}) =>
  request("POST", path, { headers: { "X-ClawTap-Script": "1", ...headers }, body: fields });

async function request(method, path, { headers, ...rest }) {
  const response = await fetch(path, { method, headers: { Accept: "application/json", ...headers }, ...rest }).catch(() => null);
  if (response?.ok) return response;
  if (!response) throw new ApiError(0, { error: "ClawTap could not be reached, so this may not have arrived. Try again." });
  if (response.status === 401 && path !== "/api/login") goToLogin();
  throw new ApiError(response.status, await response.json().catch(() => ({})));
}

/** Leaves for the login page, which comes back here. */
export const goToLogin = () => location.assign(`/login?next=${encodeURIComponent(location.pathname)}`);

/** Returns an error's message with its first letter in upper case. */
export const sentence = ({ message }) => message.charAt(0).toUpperCase() + message.slice(1);
