// mocha's spec reporter, which names at its end the tests that passed only at their second try (CI gives one). Each is
// a defect, of the test or of what it tests, that waits to be understood: it is told loudly, and fails nobody else's change.

const { reporters, Runner } = require("mocha");

module.exports = class SecondTries extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const tried = [];
    runner.on(Runner.constants.EVENT_TEST_RETRY, (test, error) =>
      tried.push(`${test.fullTitle()}\n      ${String(error?.stack ?? error).replaceAll("\n", "\n      ")}`),
    );
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      if (tried.length > 0)
        reporters.Base.consoleLog("  needed a second try:\n\n    %s\n", tried.join("\n\n    "));
    });
  }
};
