import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./app/global.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Looks } from "./app/looks";
import { queries, router } from "./app/router";
import { reloadOnNewVersion } from "./app/new-version";

reloadOnNewVersion();

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Looks>
        <RouterProvider router={router} />
      </Looks>
    </QueryClientProvider>
  </StrictMode>,
);
