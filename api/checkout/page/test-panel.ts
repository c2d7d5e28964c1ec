import type { TestCustomer, TestCustomerAbilities } from "../../../adapters/http/test-customer";
import { html, type Html } from "../../http/html";
import type { Phase } from "../../../domain/invoice/phase";
import type { CheckoutView } from "../view";

export const TEST_ACTIONS = [
  "full",
  "half",
  "too-much",
  "lightning",
  "double-spend",
  "mine",
  "expire",
  "late",
  "another",
] as const;
export type TestAction = (typeof TEST_ACTIONS)[number];

interface Button {
  action: TestAction;
  label: string;
  phases: readonly Phase[];
  needs: keyof TestCustomerAbilities | null;
}

const BUTTONS: readonly Button[] = [
  { action: "full", label: "Pay in full", phases: ["waiting"], needs: "onChain" },
  { action: "full", label: "Pay the rest", phases: ["partial"], needs: "onChain" },
  { action: "half", label: "Pay half", phases: ["waiting"], needs: "onChain" },
  { action: "too-much", label: "Pay 20 % too much", phases: ["waiting", "partial"], needs: "onChain" },
  { action: "lightning", label: "Pay by Lightning", phases: ["waiting", "partial"], needs: "lightning" },
  { action: "double-spend", label: "Pay, then double-spend", phases: ["waiting"], needs: "onChain" },
  { action: "late", label: "Pay late, in full", phases: ["expired"], needs: "onChain" },
  { action: "late", label: "Pay the rest, late", phases: ["underpaid"], needs: "onChain" },
  {
    action: "mine",
    label: "Mine a block",
    phases: ["partial", "seen", "underpaid", "lateSeen"],
    needs: "onChain",
  },
  {
    action: "double-spend",
    label: "Double-spend the payment",
    phases: ["partial", "seen", "underpaid", "lateSeen"],
    needs: "onChain",
  },
  { action: "expire", label: "Let the time run out", phases: ["waiting", "partial", "seen"], needs: null },
];

export const makesSense = (action: TestAction, phase: Phase): boolean =>
  BUTTONS.some((button) => button.action === action && button.phases.includes(phase));

/**
 * For developers, in English. Styles show the buttons for the phase of `main`, so that it stays while the page changes.
 */
export async function testPanel(customer: TestCustomer, view: CheckoutView, base: string): Promise<Html> {
  const abilities = await customer.abilities();
  const can = (button: Button): boolean => button.needs === null || (abilities?.[button.needs] ?? false);
  const path = `${base}i/${view.invoiceId}/test/`;
  return html`<form class="test-mode" method="post" aria-label="Test mode" lang="en" dir="ltr">
    <details>
      <summary>Test mode: a simulated customer</summary>
      <div class="presses">
        ${BUTTONS.filter(can).map(({ action, label, phases }) => press(path + action, label, phases))}
        <button type="submit" class="button" formaction="${path}another" data-leaves>
          Make another invoice
        </button>
      </div>
      ${abilities === null ? html`<p>${NOBODY}</p>` : null}
      <p id="test-answer" role="alert"></p>
      <p class="note">
        Pay it, mine blocks, let the time run out, and see what a customer sees. In the dashboard you can mark
        it Settled or Invalid by hand.
      </p>
    </details>
  </form>`;
}

const NOBODY = "The simulated customer does not answer. Start it and reload this page.";

const press = (url: string, label: string, phases: readonly Phase[]): Html =>
  html`<button type="submit" class="button" formaction="${url}" data-in="${phases.join(" ")}">
    ${label}
  </button>`;
