import { testEveryPoint } from "./every-point";
import { STORIES } from "./stories";

describe("whatever ends or fails (lightning)", () => testEveryPoint(STORIES.BY_LIGHTNING));
