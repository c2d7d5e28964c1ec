import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { outcome, play, tableBelow, type Scenario } from "./scenario-table";

const SCENARIOS = readFileSync(join(__dirname, "scenarios.txt"), "utf8");
const scenarios = readScenarios(SCENARIOS);
const moves = readMoves(readFileSync(join(__dirname, "../../../docs/invoice-lifecycle.md"), "utf8"));

function readScenarios(markdown: string): Scenario[] {
  return tableBelow(markdown, "| Rows | From | Facts | To | Event |").map(
    ([rows = "", from = "", facts = "", to = "", event = ""]) => ({ rows, from, facts, to, event }),
  );
}

function readMoves(markdown: string) {
  return tableBelow(markdown, "| # | From | To | When | Event |").map(
    ([row = "", from = "", to = "", , event = ""]) => ({
      row: Number(row),
      from: from.split(/, | or /),
      to: to.split(" or "),
      event: event.split(" or "),
    }),
  );
}

/** Every move of every scenario, in the words of the table of moves. */
function movesPlayed() {
  return scenarios.flatMap((scenario) =>
    play(scenario).moves.map(({ from, move }) => ({
      row: move.row,
      from,
      to: `${move.status}/${move.additionalStatus}`,
      event: move.event === null ? "none" : `${move.event.type}/${move.event.additionalStatus}`,
    })),
  );
}

describe("docs/invoice-lifecycle.md", () => {
  describe("scenarios", () => {
    for (const scenario of scenarios) {
      it(`${scenario.from}: ${scenario.facts} → ${scenario.to}`, () => {
        const { rows, to, event } = scenario;
        expect(outcome(play(scenario))).to.deep.equal({ rows, to, event });
      });
    }

    it("fail when a cell of their outcome is altered", () => {
      const holds = (scenario: Scenario): boolean => {
        const { rows, to, event } = outcome(play(scenario));
        return rows === scenario.rows && to === scenario.to && event === scenario.event;
      };
      const lines = SCENARIOS.split("\n");
      for (const [index, { rows, from, facts, to, event }] of scenarios.entries()) {
        const line = `| ${rows} | ${from} | ${facts} | ${to} | ${event} |`;
        expect(lines).to.include(line);
        for (const altered of [
          `| ${rows === "–" ? "1" : "–"} | ${from} | ${facts} | ${to} | ${event} |`,
          `| ${rows} | ${from} | ${facts} | ${to === "stays" ? "New/None" : "stays"} | ${event} |`,
          `| ${rows} | ${from} | ${facts} | ${to} | ${event === "none" ? "New/None" : "none"} |`,
        ]) {
          const reread = readScenarios(SCENARIOS.replace(line, altered));
          expect(reread.map(holds).indexOf(false), altered).to.equal(index);
        }
      }
    });

    it("are all different", () => {
      const lines = scenarios.map(({ from, facts }) => `${from}: ${facts}`);
      expect(new Set(lines).size).to.equal(lines.length);
    });

    it("refuse a fact that the table's words do not define", () => {
      const [scenario] = scenarios.filter(({ from }) => from === "New");
      expect(scenario).to.not.equal(undefined);
      for (const facts of ["before noon", "before expiry; on-chain lots pending", "before expiry; sunshine"])
        expect(() => play({ ...(scenario as Scenario), facts })).to.throw(Error);
    });
  });

  describe("moves", () => {
    it("are the fourteen rows, in order", () => {
      expect(moves.map(({ row }) => row)).to.deep.equal(Array.from({ length: 14 }, (_, index) => index + 1));
    });

    it("allow every step that a scenario takes", () => {
      for (const { row, from, to, event } of movesPlayed()) {
        const written = moves[row - 1];
        const [fromStatus = ""] = from.split("/");
        expect([from, fromStatus], `row ${row} from`).to.satisfy((names: string[]) =>
          names.some((name) => written?.from.includes(name)),
        );
        expect(written?.to, `row ${row} to`).to.include(to);
        // An event that was published before is left out, which the table of moves does not say row by row.
        if (event !== "none") expect(written?.event, `row ${row} event`).to.include(event);
      }
    });

    it("are all used by a scenario", () => {
      const played = movesPlayed();
      for (const { row, from, to, event } of moves) {
        const ofRow = played.filter((move) => move.row === row);
        for (const name of from)
          expect(
            ofRow.some((move) => move.from === name || move.from.split("/")[0] === name),
            `row ${row} from ${name}`,
          ).to.equal(true);
        for (const name of to)
          expect(
            ofRow.map((move) => move.to),
            `row ${row} to`,
          ).to.include(name);
        for (const name of event)
          expect(
            ofRow.map((move) => move.event),
            `row ${row} event`,
          ).to.include(name);
      }
    });
  });
});
