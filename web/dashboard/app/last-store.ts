const KEY = "quittance.last-store";

/** In this browser, for `/`; without storage nothing is remembered. */
export const lastStore = {
  read(): string | null {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  },
  write(storeId: string | null): void {
    try {
      if (storeId === null) localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, storeId);
    } catch {
      // a browser that keeps nothing
    }
  },
};
