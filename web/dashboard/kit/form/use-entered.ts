import { CONNECT_PATH } from "../../api/arrival";
import { BASE_URL } from "../../api/base";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";

/** To the page that the user wanted, with nothing of the previous user. */
export function useEntered() {
  const queries = useQueryClient();
  const router = useRouter();
  return (next = "/"): void => {
    queries.clear();
    // Its own document has the policy by which it may send the key.
    if (next.startsWith(CONNECT_PATH)) return location.replace(new URL(next.slice(1), BASE_URL));
    // Only our addresses: a link must not lead elsewhere.
    router.history.replace(/^\/(?![/\\])/.test(next) ? next : "/");
  };
}
