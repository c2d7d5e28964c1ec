import { testEveryPoint } from "../every-point";
import { STORIES } from "../stories";

describe("whatever ends or fails while a merchant intervenes by hand", () => testEveryPoint(STORIES.BY_HAND));
