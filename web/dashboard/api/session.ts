import { useSuspenseQuery } from "@tanstack/react-query";
import { apiQuery } from "./queries";

/** Who is logged in. */
export interface User {
  userId: string;
  email: string;
  admin: boolean;
}

export interface Session {
  user: User;
}

export const sessionQuery = apiQuery<Session>("/session");

/** Who is logged in; only below the shell, which sends all others to the login. */
export const useUser = (): User => useSuspenseQuery(sessionQuery).data.user;
