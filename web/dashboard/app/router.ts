import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { createRouter } from "@tanstack/react-router";
import { nextOf } from "../api/arrival";
import { BASE_PATH } from "../api/base";
import { isNotLoggedIn } from "../api/call";
import { ApiError } from "../api/problem";
import { routeTree } from "./routes";

const FRESH_MS = 10_000;
const RETRIES = 2;

/** The session ended: login, and back. */
function onError(error: unknown): void {
  const { pathname, href } = router.state.location;
  if (!isNotLoggedIn(error) || pathname === "/login" || pathname === "/setup") return;
  queries.clear();
  void router.navigate({ to: "/login", search: { next: nextOf({ pathname, href }) } });
}

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      retry: (failures, error) =>
        failures < RETRIES && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
});

export const router = createRouter({
  routeTree,
  context: { queries },
  basepath: BASE_PATH,
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
