import "reflect-metadata";
import { readEnvironment } from "../config/load";
import { runCli } from "./cli/run";
import { ownTerminal } from "./cli/terminal";

void runCli(process.argv.slice(2), ownTerminal(readEnvironment())).then((code) => (process.exitCode = code));
