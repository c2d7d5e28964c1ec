/** Calls at once if it has gone already. */
export function whenGone(gone: AbortSignal, then: () => void): void {
  if (gone.aborted) then();
  else gone.addEventListener("abort", then, { once: true });
}
