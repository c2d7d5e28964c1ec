import { testEveryPoint } from "./every-point";
import { STORIES } from "./stories";

describe("whatever ends or fails (told)", () => testEveryPoint(STORIES.TOLD));
