import type { Context } from "koa";
import { DomainError } from "../../domain/errors";
import { readBytes } from "../http/middleware/body";

export const FORM = "application/x-www-form-urlencoded";
const FORM_MAX_BYTES = 8 * 1_024;

/** Null if it is too long for what the pages ask for. */
export async function readForm(koa: Context): Promise<URLSearchParams | null> {
  try {
    return new URLSearchParams((await readBytes(koa.req, FORM_MAX_BYTES)).toString());
  } catch (error) {
    if (error instanceof DomainError && error.code === "body-too-large") return null;
    throw error;
  }
}
