/** Large keys for a till, where a screen keyboard would cover the amount. */
export function typeByKeypad(keypad: HTMLElement): void {
  const amount = document.querySelector<HTMLInputElement>("#link-amount");
  if (amount === null) return;
  amount.inputMode = "none";
  keypad.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>("button") : null;
    const key = button?.dataset.key;
    if (key === undefined) return;
    amount.value = key === "" ? amount.value.slice(0, -1) : amount.value + key;
    amount.removeAttribute("aria-invalid");
  });
}
