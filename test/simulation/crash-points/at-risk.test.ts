import { testEveryPoint } from "../every-point";
import { STORIES } from "../stories";

describe("whatever ends or fails while money is at risk", () =>
  testEveryPoint(STORIES.AT_RISK, { sparse: true }));
