import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Mined, MineOrder, NodeReady } from "./block-node";
import type { Lab } from "./lab";

/** The node with nothing but full blocks, as a process of its own. It ends with the bench. */
export class BlockNode {
  private constructor(
    private readonly child: ChildProcess,
    readonly rpcUrl: string,
  ) {}

  static async start(lab: Lab): Promise<BlockNode> {
    const child = fork(path.join(__dirname, "block-node.ts"), {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    lab.onEnd(async () => {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    });
    const { rpcUrl } = await answerOf<NodeReady>(child);
    return new BlockNode(child, rpcUrl);
  }

  mine(order: MineOrder): Promise<Mined> {
    this.child.send(order);
    return answerOf<Mined>(this.child);
  }
}

async function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error("the node with the blocks ended"));
    child.once("exit", ended);
    child.once("message", (message: unknown) => {
      child.removeListener("exit", ended);
      resolve(message as T);
    });
  });
}
