import { testEveryPoint } from "../every-point";
import { STORIES } from "../stories";

describe("whatever ends or fails while stores are paid into LNDs of their own", () =>
  testEveryPoint(STORIES.BY_OWN_LNDS, { sparse: true }));
