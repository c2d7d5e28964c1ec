import { testEveryPoint } from "../every-point";
import { STORIES } from "../stories";

describe("whatever ends or fails while LND leaves something out or forgets it", () =>
  testEveryPoint(STORIES.BY_A_BROKEN_LND));
