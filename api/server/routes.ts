import { readServerInfo } from "../../commands/installation/read-server-info";
import { route } from "../http/route";
import { serverInfoAnswer } from "./answer";

export const serverRoutes = [
  route({
    method: "get",
    path: "/server/info",
    operationId: "readServerInfo",
    access: ["create-and-read-invoices", "read"],
    tags: ["Server"],
    summary: "Read the server's version, payment methods and node state",
    answer: serverInfoAnswer,
    handle: ({ ctx }) => readServerInfo(ctx),
  }),
];
