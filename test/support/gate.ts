import { TcpGate } from "./devnet/tcp-gate";

export interface Gate {
  /** The target's URL with the gate's host and port in place of its own. */
  url: string;
  /** Breaks what goes through it and refuses what is new, as if the target were away. */
  shut(): Promise<void>;
  open(): Promise<void>;
  swallow(): void;
  loseAnswers(): void;
}

/** A way for TCP to `target` that can be shut: a node that is away without being touched itself. Open at first. */
export async function startGate(target: string): Promise<Gate> {
  const url = new URL(target);
  const port = Number(url.port);
  const gate = TcpGate.make(0);
  const open = (): Promise<void> => gate.open(port);
  await open();
  url.host = `127.0.0.1:${gate.port}`;
  return {
    url: url.href.replace(/\/$/, ""),
    open,
    shut: () => gate.close(),
    swallow: () => gate.die(),
    loseAnswers: () => gate.loseAnswers(),
  };
}
