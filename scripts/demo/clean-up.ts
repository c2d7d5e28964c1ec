/** What was started, to be ended in reverse order, once. */
export class CleanUp {
  private readonly steps: (() => Promise<void> | void)[] = [];
  private ending: Promise<void> | null = null;

  get begun(): boolean {
    return this.ending !== null;
  }

  add(step: () => Promise<void> | void): void {
    this.steps.push(step);
  }

  run(): Promise<void> {
    this.ending ??= this.runAll();
    return this.ending;
  }

  private async runAll(): Promise<void> {
    for (let step = this.steps.pop(); step; step = this.steps.pop()) {
      try {
        await step();
      } catch (error) {
        process.stderr.write(`while stopping: ${error instanceof Error ? error.message : String(error)}\n`);
      }
    }
  }
}
