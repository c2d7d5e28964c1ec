import { z } from "zod";
import { ALERT_STATES } from "../../commands/list-alerts";
import { pageFields } from "./page";
import { oneOf } from "./text";

export const listAlertsQuery = z.strictObject({ ...pageFields, state: oneOf(ALERT_STATES).optional() });
