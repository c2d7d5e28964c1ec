import type { Caller } from "../../commands/stores/api-key";
import type { NeededPolicy } from "../../domain/greenfield/permissions";
import { routesOf } from "../http/route";

export interface GreenfieldCaller {
  caller: Caller;
  sentKey: string;
}

/**
 * Requests may have unknown fields, and `null` is absent: plugins send both. Every success is 200, since every route has
 * an answer.
 */
export const greenfieldRoute = routesOf<{ needs: NeededPolicy }, GreenfieldCaller>();

export type GreenfieldRoute = ReturnType<typeof greenfieldRoute>;
