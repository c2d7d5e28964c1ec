import { testEveryPoint } from "../every-point";
import { STORIES } from "../stories";

describe("whatever ends or fails while an invoice is replaced", () => testEveryPoint(STORIES.REPLACED));
