import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { arrivalSearch } from "../api/arrival";
import { readConnection, requestOf, type Connected, type Connection } from "../api/connections";
import { EntryFrame } from "../kit/entry-frame";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { ConnectForm } from "./connect/connect-form";
import { KeySending, KeyShown, KeyStopped } from "./connect/key-given";
import { isRefusedLink, LinkRefused } from "./connect/link-refused";
import { sendKey } from "./connect/send-key";

interface Given {
  key: Connected;
  way: "shown" | "sending" | "stopped";
}

export function ConnectPage() {
  const [request] = useState(() => requestOf(arrivalSearch()));
  const connection = useQuery({
    queryKey: ["connection", request],
    queryFn: () => readConnection(request),
    staleTime: Infinity,
  });
  const [given, setGiven] = useState<Given | null>(null);
  const give = (key: Connected): void => {
    if (key.redirect === null) return setGiven({ key, way: "shown" });
    setGiven({ key, way: "sending" });
    sendKey(key, key.redirect, () => setGiven({ key, way: "stopped" }));
  };
  return (
    <EntryFrame wide>
      <Page title="Connect a shop">
        {isRefusedLink(connection.error) ? (
          <LinkRefused error={connection.error} />
        ) : (
          <Loaded query={connection}>
            {(data) =>
              given === null ? (
                <ConnectForm request={request} connection={data} connected={give} />
              ) : (
                <Outcome given={given} connection={data} />
              )
            }
          </Loaded>
        )}
      </Page>
    </EntryFrame>
  );
}

function Outcome({ given: { key, way }, connection }: { given: Given; connection: Connection }) {
  switch (way) {
    case "shown":
      return <KeyShown connected={key} />;
    case "sending":
      return <KeySending connected={key} connection={connection} />;
    case "stopped":
      return <KeyStopped connected={key} connection={connection} />;
  }
}
