import { Text } from "@mantine/core";
import type { Invoice } from "../../api/invoices";
import { Icon, type IconName } from "../../kit/icon";
import { Time } from "../../kit/format/time";
import { stepsOf, type Step } from "./steps";
import classes from "./stepper.module.css";

const ICONS: Record<Step["state"], IconName> = {
  done: "check",
  now: "clock",
  next: "chevron-right",
  warn: "triangle-alert",
  bad: "x",
};

/** Each step is said in words too. */
export function Stepper({ invoice }: { invoice: Invoice }) {
  return (
    <div className={classes.frame}>
      <ol className={classes.steps} aria-label="Where it is">
        {stepsOf(invoice).map((step) => (
          <li
            key={step.title}
            data-state={step.state}
            aria-current={step.state === "now" ? "step" : undefined}
          >
            <span className={classes.bullet} aria-hidden="true">
              <Icon name={ICONS[step.state]} size={16} />
            </span>
            <div>
              <Text size="sm" fw={600}>
                {step.title}
                {step.state === "next" && <span className="visually-hidden"> (to come)</span>}
              </Text>
              <When step={step} />
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}

function When({ step: { at, until, note } }: { step: Step }) {
  return (
    <Text size="xs" c="dimmed">
      {at !== undefined && <Time value={at} />}
      {until !== undefined && (
        <>
          until <Time value={until} />
        </>
      )}
      {note !== undefined && (at === undefined ? note : `, ${note}`)}
    </Text>
  );
}
