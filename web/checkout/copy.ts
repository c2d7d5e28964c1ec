const SHOWN_MS = 2_000;

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByHand(text);
  }
}

/** Deprecated, and the only way without https. */
function copyByHand(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

export function copyOnClick(texts: Readonly<Record<string, string>>): void {
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>("button") : null;
    if (button === null) return;
    if (button.dataset.print !== undefined) window.print();
    const { copy: value } = button.dataset;
    if (value !== undefined) void show(button, value, texts);
  });
}

async function show(
  button: HTMLButtonElement,
  value: string,
  texts: Readonly<Record<string, string>>,
): Promise<void> {
  if (button.classList.contains("copied")) return;
  const before = button.textContent;
  const done = await copy(value);
  button.focus();
  button.classList.add("copied");
  button.textContent = (done ? `✓ ${texts.copied}` : texts.copyFailed) ?? "";
  const aloud = document.querySelector("#announced");
  if (aloud !== null) aloud.textContent = (done ? texts.copied : texts.copyFailed) ?? "";
  setTimeout(() => {
    button.textContent = before;
    button.classList.remove("copied");
  }, SHOWN_MS);
}
