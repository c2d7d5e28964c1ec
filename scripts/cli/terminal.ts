import { InvalidArgumentError, type Command } from "commander";
import type { Environment } from "../../config/environment";

/** What the command line reads and where it writes: the process's own, or a test's. */
export interface Terminal {
  env: Environment;
  out(text: string): void;
  err(text: string): void;
}

/** What a command found or made: one JSON object for programs, words for people. */
export interface Answer {
  json: object;
  text: string;
  /** Exit code 1 all the same. */
  failed?: boolean;
}

/** Thrown after the answer was printed, when the exit code must be 1. */
export class FailedAnswer extends Error {
  override readonly name = "FailedAnswer";
}

/** A commander action that prints the work's result. */
export function answering<O>(
  terminal: Terminal,
  work: (options: O) => Promise<Answer>,
): (options: O, command: Command) => Promise<void> {
  return async (options, command) => {
    const { json, text, failed = false } = await work(options);
    const asJson = command.optsWithGlobals<{ json?: boolean }>().json === true;
    terminal.out(`${asJson ? JSON.stringify(json) : text}\n`);
    if (failed) throw new FailedAnswer();
  };
}

/** Parser of an option's whole number. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("Must be a whole number.");
  return Number(text);
}
