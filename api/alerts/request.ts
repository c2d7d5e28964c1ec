import { z } from "zod";
import { ALERT_STATES } from "../../commands/server/list-alerts";
import { pageFields } from "../http/schemas/page";
import { oneOf } from "../http/schemas/text";

export const listAlertsQuery = z.strictObject({ ...pageFields, state: oneOf(ALERT_STATES).optional() });
