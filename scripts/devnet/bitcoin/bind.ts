const RETRY_MS = 50;
const TIMEOUT_MS = 10_000;

/**
 * Binds a port, and waits for it where it is in use: after a restart the old socket, or a client's attempt to connect
 * again, may hold it for some milliseconds.
 */
export async function bindWhenFree<T>(bind: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    try {
      return await bind();
    } catch (error) {
      if ((error as { code?: string }).code !== "EADDRINUSE" || performance.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
