import { readServerInfo } from "../../commands/read-server-info";
import { route } from "../route";
import { serverInfoAnswer } from "../schemas/server-answer";
import { noQuery } from "../schemas/text";

export const serverRoutes = [
  route({
    method: "get",
    path: "/server/info",
    operationId: "readServerInfo",
    tags: ["Server"],
    summary: "Read what this server is and how far its node has come",
    query: noQuery,
    body: null,
    success: 200,
    answer: serverInfoAnswer,
    errors: [],
    handle: ({ ctx }) => readServerInfo(ctx),
  }),
];
