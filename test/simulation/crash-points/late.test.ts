import { testEveryPoint } from "../every-point";
import { STORIES } from "../stories";

describe("whatever ends or fails while an invoice expires", () => testEveryPoint(STORIES.LATE));
