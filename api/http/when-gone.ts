export function whenGone(gone: AbortSignal, then: () => void): void {
  if (gone.aborted) then();
  else gone.addEventListener("abort", then, { once: true });
}
