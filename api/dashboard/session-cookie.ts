import type { Context } from "koa";

/**
 * The cookie of a session (RFC 6265bis). Scripts cannot read it and other sites' requests do not carry it, but for links
 * that one follows. Where browsers come by https it is sent by https alone, and `__Host-` keeps other hosts of the same
 * domain from setting it.
 */
function cookieOf(publicUrl: string): { name: string; attributes: string } {
  const secure = publicUrl.startsWith("https:");
  return {
    name: secure ? "__Host-quittance-session" : "quittance-session",
    attributes: `Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`,
  };
}

/** Empty where there is none. */
export function readSessionCookie(koa: Context, publicUrl: string): string {
  return koa.cookies.get(cookieOf(publicUrl).name) ?? "";
}

/** Written by hand: the library refuses `Secure` to a proxy's plain connection. */
export function setSessionCookie(
  koa: Context,
  publicUrl: string,
  { token, expiresAt }: { token: string; expiresAt: Date },
): void {
  const { name, attributes } = cookieOf(publicUrl);
  koa.set("Set-Cookie", `${name}=${token}; Expires=${expiresAt.toUTCString()}; ${attributes}`);
}

export function clearSessionCookie(koa: Context, publicUrl: string): void {
  const { name, attributes } = cookieOf(publicUrl);
  koa.set("Set-Cookie", `${name}=; Max-Age=0; ${attributes}`);
}
