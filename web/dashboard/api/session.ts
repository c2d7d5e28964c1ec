import { useSuspenseQuery } from "@tanstack/react-query";
import type { sessionAnswer } from "../../../api/dashboard/account/request";
import { apiQuery } from "./queries";
import type { Answer } from "./shapes";

type Session = Answer<typeof sessionAnswer>;

export const sessionQuery = apiQuery<Session>("/session");

export const useOwesSecondFactor = (): boolean => useSuspenseQuery(sessionQuery).data.owesSecondFactor;

/** Below the shell, which redirects all others. */
export const useUser = (): Session["user"] => useSuspenseQuery(sessionQuery).data.user;

export const useMayCreateStores = (): boolean => useSuspenseQuery(sessionQuery).data.mayCreateStores;
