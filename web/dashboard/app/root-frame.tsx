import { Outlet } from "@tanstack/react-router";
import { SudoDialog } from "./sudo-dialog";

export function RootFrame() {
  return (
    <>
      <Outlet />
      <SudoDialog />
    </>
  );
}
