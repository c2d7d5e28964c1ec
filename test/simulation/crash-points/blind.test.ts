import { testEveryPoint } from "../every-point";
import { STORIES } from "../stories";

describe("whatever ends or fails while the node misses a payment", () =>
  testEveryPoint(STORIES.BLIND, { sparse: true }));
