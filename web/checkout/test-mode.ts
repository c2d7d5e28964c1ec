export function pressInPlace(form: HTMLFormElement): void {
  const details = form.querySelector("details");
  if (details !== null && window.matchMedia("(width >= 48rem)").matches) details.open = true;
  form.addEventListener("submit", (event) => {
    const { submitter } = event;
    if (!(submitter instanceof HTMLButtonElement) || submitter.dataset.leaves !== undefined) return;
    event.preventDefault();
    if (!submitter.hasAttribute("aria-busy")) void press(form, submitter);
  });
}

async function press(form: HTMLFormElement, button: HTMLButtonElement): Promise<void> {
  const answer = form.querySelector("#test-answer");
  const show = (text: string): void => {
    if (answer !== null) answer.textContent = text;
  };
  show("");
  button.setAttribute("aria-busy", "true");
  show(await answerOf(button.formAction));
  button.removeAttribute("aria-busy");
  // It may be gone with its state.
  if (document.activeElement === document.body) form.querySelector("summary")?.focus();
}

/** Empty when done, else why not. */
async function answerOf(url: string): Promise<string> {
  try {
    const answer = await fetch(url, { method: "POST", headers: { accept: "application/json" } });
    if (answer.ok) return "";
    const { reason, detail } = (await answer.json()) as { reason?: string; detail?: string };
    return reason ?? detail ?? `HTTP ${answer.status}`;
  } catch {
    return "No answer. Is the service running?";
  }
}
