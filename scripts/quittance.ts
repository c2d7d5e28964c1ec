#!/usr/bin/env node
import "reflect-metadata";
import os from "node:os";
import { readVersion } from "../adapters/version";
import { readEnvironment } from "../config/load";
import { runCli } from "./cli/run";
import { runPm2, startService } from "./service";

// The command of the installed package.

const USAGE = `usage: quittance start     run the API and all workers in the foreground, until Ctrl-C or SIGTERM
       quittance migrate   create the tables, or bring them up to date
       quittance doctor    check settings and dependencies
       quittance cli …     every other command: quittance cli --help
       quittance pm2 …     PM2 of the service that runs: ls, scale, reload
       quittance --version

Settings come from the environment and from .env in the current folder.
`;

/** As a shell reports it: to systemd a command that ends by one of these signals itself has succeeded. */
function failOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => process.exit(128 + os.constants.signals[signal]));
}

function cli(args: readonly string[]): Promise<number> {
  failOnSignals();
  return runCli(args, {
    env: readEnvironment(),
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  });
}

function print(stream: NodeJS.WriteStream, text: string, code: number): number {
  stream.write(text);
  return code;
}

async function run([command, ...args]: readonly string[]): Promise<number> {
  switch (command) {
    case "start":
      return args.length > 0 ? print(process.stderr, USAGE, 1) : startService(process.env);
    case "migrate":
    case "doctor":
      return cli([command, ...args]);
    case "cli":
      return cli(args);
    case "pm2":
      return runPm2(args, process.env);
    case "--version":
      return print(process.stdout, `${readVersion()}\n`, 0);
    case "--help":
      return print(process.stdout, USAGE, 0);
    case undefined:
    default:
      return print(process.stderr, USAGE, 1);
  }
}

void run(process.argv.slice(2)).then((code) => (process.exitCode = code));
