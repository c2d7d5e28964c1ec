const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";

/** The answer's policy allows styles that a script adds only with it. */
export const styleNonce = (): string => nonce;

// What keeps the page behind a dialog from scrolling looks for it here (package get-nonce).
Object.assign(globalThis, { __webpack_nonce__: nonce });
