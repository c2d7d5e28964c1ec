import { testEveryPoint } from "../every-point";
import { STORIES } from "../stories";

describe("whatever ends or fails while the database's clock is set", () =>
  testEveryPoint(STORIES.BY_A_WRONG_CLOCK));
