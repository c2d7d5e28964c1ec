const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";

/** Styles that a script adds need it. */
export const styleNonce = (): string => nonce;

// For get-nonce, which keeps the page behind a dialog from scrolling.
Object.assign(globalThis, { __webpack_nonce__: nonce });
