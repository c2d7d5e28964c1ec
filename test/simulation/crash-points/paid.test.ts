import { testEveryPoint } from "../every-point";
import { STORIES } from "../stories";

describe("whatever ends or fails while an invoice is paid in time", () => testEveryPoint(STORIES.PAID));
