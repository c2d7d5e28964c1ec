import "reflect-metadata";
import { readEnvironment } from "../config/load";
import { runCli } from "./cli/run";

async function main(): Promise<void> {
  process.exitCode = await runCli(process.argv.slice(2), {
    env: readEnvironment(),
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  });
}

void main();
