import "reflect-metadata";
import { demoCli } from "./demo/cli";
import { repositoryPlace } from "./demo/place";

void demoCli(process.argv.slice(2), repositoryPlace({})).then((code) => (process.exitCode = code));
