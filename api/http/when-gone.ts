export function whenGone(gone: AbortSignal, then: () => void): void {
  if (gone.aborted) then();
  else gone.addEventListener("abort", then, { once: true });
}

/** A reader that takes little by little is not silent, and would keep its place for hours. */
export function closeAfter(ms: number, res: { destroy(): unknown }, gone: AbortSignal): () => void {
  const late = setTimeout(() => res.destroy(), ms).unref();
  const stop = (): void => clearTimeout(late);
  whenGone(gone, stop);
  return stop;
}
