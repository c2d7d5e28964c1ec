import { useSuspenseQuery } from "@tanstack/react-query";
import type { sessionAnswer } from "../../../api/schemas/dashboard/account";
import { apiQuery } from "./queries";
import type { Answer } from "./shapes";

type Session = Answer<typeof sessionAnswer>;

export const sessionQuery = apiQuery<Session>("/session");

/** Who is logged in; only below the shell, which sends all others to the login. */
export const useUser = (): Session["user"] => useSuspenseQuery(sessionQuery).data.user;
