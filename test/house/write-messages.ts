import { writeFileSync } from "node:fs";
import { asList, LIST, listMessages } from "./texts";

writeFileSync(LIST, asList(listMessages()));
