type Answer = (done: boolean) => void;

let waiting: Answer[] = [];
let listeners: (() => void)[] = [];
const notify = (): void => listeners.forEach((listener) => listener());

/** Resolves to whether it was given. Several ask once. */
export function askForSudo(): Promise<boolean> {
  return new Promise((resolve) => {
    waiting = [...waiting, resolve];
    notify();
  });
}

export const sudoRequests = {
  subscribe(listener: () => void): () => void {
    listeners = [...listeners, listener];
    return () => {
      listeners = listeners.filter((other) => other !== listener);
    };
  },
  isWaiting: (): boolean => waiting.length > 0,
  answer(done: boolean): void {
    const all = waiting;
    waiting = [];
    notify();
    for (const resolve of all) resolve(done);
  },
};
