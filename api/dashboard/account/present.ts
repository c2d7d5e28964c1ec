import type { AccountView } from "../../../commands/accounts/read-account";
import type { Passkey } from "../../../entities/passkey";
import type { ListedSession } from "../../../commands/accounts/session";

export function presentUser({ userId, email, admin }: { userId: string; email: string; admin: boolean }) {
  return { userId, email, admin };
}

export function presentPasskey({ id, name, createdAt, lastUsedAt }: Passkey) {
  return { passkeyId: id, name, createdAt, lastUsedAt };
}

export function presentAccount({ passkeys, ...account }: AccountView) {
  return { ...account, passkeys: passkeys.map(presentPasskey) };
}

export function presentSession({ session, linkShownTo }: ListedSession, currentId: string) {
  const { id, ip, userAgent, createdAt, lastSeenAt } = session;
  return { sessionId: id, current: id === currentId, ip, userAgent, createdAt, lastSeenAt, linkShownTo };
}
