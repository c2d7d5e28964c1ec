import { testEveryPoint } from "./every-point";
import { STORIES } from "./stories";

describe("whatever ends or fails (on-chain)", () => testEveryPoint(STORIES.ON_CHAIN));
