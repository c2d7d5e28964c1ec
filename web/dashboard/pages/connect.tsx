import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { arrivalSearch } from "../api/arrival";
import { readConnection, requestOf, type Connected } from "../api/connections";
import { EntryFrame } from "../kit/entry-frame";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { ConnectForm } from "./connect/connect-form";
import { KeyShown, KeySent } from "./connect/key-given";

/** An application asks for an API key of a store: what it claims, what it would get, and where the key would go. */
export function ConnectPage() {
  const [request] = useState(() => requestOf(arrivalSearch()));
  const connection = useQuery({
    queryKey: ["connection", request],
    queryFn: () => readConnection(request),
    staleTime: Infinity,
  });
  const [connected, setConnected] = useState<Connected | "sent" | null>(null);
  return (
    <EntryFrame wide>
      <Page title="Connect a shop">
        <Loaded query={connection}>
          {(data) =>
            connected === null ? (
              <ConnectForm request={request} connection={data} connected={setConnected} />
            ) : connected === "sent" ? (
              <KeySent origin={data.redirectOrigin ?? ""} />
            ) : (
              <KeyShown connected={connected} />
            )
          }
        </Loaded>
      </Page>
    </EntryFrame>
  );
}
