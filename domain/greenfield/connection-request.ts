import { invalidField } from "../errors";
import type { Network } from "../network";
import { isLocalOrSecure, originOf } from "../shop-origins";
import { POLICIES, SERVED_POLICIES } from "./permissions";

/** From a link to `/api-keys/authorize`: all of it is a claim. */
export interface ConnectionRequest {
  permissions: readonly string[];
  applicationName?: string;
  /** Null: the key is shown. */
  redirect?: string;
}

const NAME_MAX_LENGTH = 100;
const URL_MAX_LENGTH = 2_000;
const UNNAMED = "Shop plugin";
/** The page shows no other text of the link. */
const PERMISSION_NAME = /^[a-z0-9._-]{1,100}$/i;
/** A name of these alone shows as nothing; within a name they may join the parts of a letter or an emoji. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800\s]/gu;
/** Line breaks, what shows as nothing, and what turns the direction of the text around it. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/** @throws DomainError `validation-failed` at `/redirect`, or at `/permissions` where none gives access to anything. */
export function parseConnectionRequest(asked: ConnectionRequest, network: Network) {
  // An application that has had a key appends the store's id; the person chooses the store here.
  const names = [...new Set(asked.permissions.map((name) => name.split(":", 1)[0] ?? ""))];
  const given = POLICIES.filter((policy) => names.includes(policy));
  if (!given.some((policy) => SERVED_POLICIES.includes(policy)))
    throw invalidField(
      "/permissions",
      `Asks for no permission that this service has. It has ${SERVED_POLICIES.join(", ")}.`,
    );
  return {
    name: nameOf(asked.applicationName ?? ""),
    redirect: asked.redirect === undefined ? null : parseRedirect(asked.redirect, network),
    given,
    /** Asked for and not served, as written. */
    notGiven: names.filter(
      (name) => PERMISSION_NAME.test(name) && !(given as readonly string[]).includes(name),
    ),
  };
}

/** Cleaned and cut, not refused: a shop's name must not keep it from being connected. */
function nameOf(claimed: string): string {
  const name = claimed.replaceAll(UNPRINTABLE, " ").trim();
  return name.replaceAll(INVISIBLE, "") === ""
    ? UNNAMED
    : name
        .slice(0, NAME_MAX_LENGTH)
        .replace(/\p{Surrogate}$/u, "")
        .trim();
}

function parseRedirect(text: string, network: Network) {
  const redirect = readRedirect(text, network);
  if (typeof redirect === "string") throw invalidField("/redirect", redirect);
  return redirect;
}

/** The origin to which the page of such a link may send its form; null for none. */
export function redirectOrigin(text: string, network: Network): string | null {
  const redirect = readRedirect(text, network);
  return typeof redirect === "string" ? null : redirect.origin;
}

function readRedirect(text: string, network: Network) {
  // The URL standard drops blanks and line breaks silently, and reads "https:host" and backslashes.
  if (!/^https?:\/\/[^\s\p{Cc}\\]+$/iu.test(text) || text.length > URL_MAX_LENGTH || !URL.canParse(text))
    return `Must be a URL of at most ${URL_MAX_LENGTH} characters that starts with https:// or http://.`;
  const { href, origin: ofAnyHost, username, password } = new URL(text);
  if (username !== "" || password !== "") return "Must not contain a user name or a password.";
  const origin = originOf(ofAnyHost);
  if (origin === null) return "Must have a host name or an IPv4 address.";
  if (!isLocalOrSecure(origin, network))
    return "Must begin with https://: on mainnet http:// is for this computer only.";
  return { url: href, origin };
}
