import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";

/** After a login: to the page the user wanted, with nothing left of the previous user. */
export function useEntered() {
  const queries = useQueryClient();
  const router = useRouter();
  return (next = "/"): void => {
    queries.clear();
    // Only addresses of ours: a link to the login must not lead elsewhere after it.
    router.history.replace(/^\/(?![/\\])/.test(next) ? next : "/");
  };
}
