import { MantineProvider } from "@mantine/core";
import { ModalsProvider } from "@mantine/modals";
import { Notifications } from "@mantine/notifications";
import type { ReactNode } from "react";
import { styleNonce } from "./style-nonce";
import { cssVariables, theme } from "./theme";

export function Looks({ children }: { children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <ModalsProvider>{children}</ModalsProvider>
      <Notifications position="bottom-right" />
    </MantineProvider>
  );
}
