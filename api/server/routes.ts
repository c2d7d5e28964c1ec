import { readServerInfo } from "../../commands/server/read-server-info";
import { route } from "../http/route";
import { serverInfoAnswer } from "./answer";
import { noQuery } from "../http/schemas/text";

export const serverRoutes = [
  route({
    method: "get",
    path: "/server/info",
    operationId: "readServerInfo",
    tags: ["Server"],
    summary: "Read the server's version, payment methods and node state",
    query: noQuery,
    body: null,
    success: 200,
    answer: serverInfoAnswer,
    errors: [],
    handle: ({ ctx }) => readServerInfo(ctx),
  }),
];
