const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";

/** The answer's policy allows styles that a script adds only with it. */
export const styleNonce = (): string => nonce;

// The package that keeps the page behind a dialog from scrolling reads it here (get-nonce).
Object.assign(globalThis, { __webpack_nonce__: nonce });
