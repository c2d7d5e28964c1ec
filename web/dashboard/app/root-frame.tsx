import { Outlet } from "@tanstack/react-router";
import { lazy, Suspense, useSyncExternalStore } from "react";
import { sudoRequests } from "../api/sudo";

/** Not part of the first page. */
const SudoDialog = lazy(async () => ({ default: (await import("./sudo-dialog")).SudoDialog }));

export function RootFrame() {
  const waiting = useSyncExternalStore(sudoRequests.subscribe, sudoRequests.isWaiting);
  return (
    <>
      <Outlet />
      {waiting && (
        <Suspense>
          <SudoDialog />
        </Suspense>
      )}
    </>
  );
}
