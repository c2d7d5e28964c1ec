import { useSuspenseQuery } from "@tanstack/react-query";
import type { sessionAnswer } from "../../../api/dashboard/account/request";
import { apiQuery } from "./queries";
import type { Answer } from "./shapes";

type Session = Answer<typeof sessionAnswer>;

export const sessionQuery = apiQuery<Session>("/session");

/** The server asks for a second factor that is not set up yet. */
export const useOwesSecondFactor = (): boolean => useSuspenseQuery(sessionQuery).data.owesSecondFactor;

/** The logged-in user; only below the shell, which redirects all others to the login. */
export const useUser = (): Session["user"] => useSuspenseQuery(sessionQuery).data.user;

/** Whether the server lets them make stores; below the shell too. */
export const useMayCreateStores = (): boolean => useSuspenseQuery(sessionQuery).data.mayCreateStores;
