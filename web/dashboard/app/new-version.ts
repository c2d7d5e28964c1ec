const KEY = "quittance.reloaded-at";
const AT_MOST_EVERY_MS = 10_000;

/** Its files are gone after an update: reloaded, but not in a loop. */
export function reloadOnNewVersion(): void {
  window.addEventListener("vite:preloadError", (event) => {
    const last = Number(sessionStorage.getItem(KEY) ?? 0);
    if (Date.now() - last < AT_MOST_EVERY_MS) return;
    sessionStorage.setItem(KEY, String(Date.now()));
    event.preventDefault();
    window.location.reload();
  });
}
