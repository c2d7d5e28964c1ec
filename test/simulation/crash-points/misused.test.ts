import { testEveryPoint } from "../every-point";
import { STORIES } from "../stories";

describe("whatever ends or fails while the service is misused", () =>
  testEveryPoint(STORIES.MISUSED, { sparse: true }));
