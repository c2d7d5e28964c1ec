import { stopTestPostgres } from "./database";

export const mochaHooks = {
  afterAll: stopTestPostgres,
};
