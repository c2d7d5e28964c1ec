import type { Context } from "koa";

const SESSION = "quittance-session";

/**
 * RFC 6265bis: no scripts, no other sites except followed links, https if browsers use it, and `__Host-` against other
 * hosts of the domain.
 */
function cookieOf(publicUrl: string, name: string): { name: string; attributes: string } {
  const secure = publicUrl.startsWith("https:");
  return {
    name: secure ? `__Host-${name}` : name,
    attributes: `Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`,
  };
}

interface Cookie {
  name: string;
  value: string;
  expiresAt: Date;
}

/** The library refuses `Secure` on a proxy's plain connection. */
export function setCookie(koa: Context, publicUrl: string, cookie: Cookie): void {
  const { name, attributes } = cookieOf(publicUrl, cookie.name);
  koa.append(
    "Set-Cookie",
    `${name}=${cookie.value}; Expires=${cookie.expiresAt.toUTCString()}; ${attributes}`,
  );
}

export function readCookie(koa: Context, publicUrl: string, name: string): string | undefined {
  return koa.cookies.get(cookieOf(publicUrl, name).name);
}

export function readSessionCookie(koa: Context, publicUrl: string): string {
  return readCookie(koa, publicUrl, SESSION) ?? "";
}

export function setSessionCookie(
  koa: Context,
  publicUrl: string,
  { token, expiresAt }: { token: string; expiresAt: Date },
): void {
  setCookie(koa, publicUrl, { name: SESSION, value: token, expiresAt });
}

export function clearSessionCookie(koa: Context, publicUrl: string): void {
  const { name, attributes } = cookieOf(publicUrl, SESSION);
  koa.append("Set-Cookie", `${name}=; Max-Age=0; ${attributes}`);
}
