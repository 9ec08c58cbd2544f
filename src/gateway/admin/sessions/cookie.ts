// The cookie of a session. Cookies ignore ports: the name has the port, and two gateways of one machine do not collide.

/** Where the cookie is sent: to the API alone. */
const PATH = '/admin/api';

function nameOf(port: number): string {
  return `troupe_admin_${port}`;
}

/** `Set-Cookie` of a session that began. Host-only, since it names no domain; it ends with the browser. */
export function toCookie(secret: string, port: number): string {
  return `${nameOf(port)}=${secret}; Path=${PATH}; HttpOnly; SameSite=Strict`;
}

/** `Set-Cookie` that takes it away. */
export function toEndedCookie(port: number): string {
  return `${nameOf(port)}=; Path=${PATH}; HttpOnly; SameSite=Strict; Max-Age=0`;
}

/** The secret in a Cookie header; undefined for none or two. Source: RFC 6265, 5.4. */
export function readCookie(header: string | undefined, port: number): string | undefined {
  const name = nameOf(port);
  const found = (header ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at !== -1 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  const [secret] = found;
  return found.length === 1 && secret !== undefined && /^[\w-]{43}$/.test(secret) ? secret : undefined;
}
