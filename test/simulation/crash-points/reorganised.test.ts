import { testEveryPoint } from "../every-point";
import { STORIES } from "../stories";

describe("whatever ends or fails while an invoice is reorganised", () => testEveryPoint(STORIES.REORGANISED));
