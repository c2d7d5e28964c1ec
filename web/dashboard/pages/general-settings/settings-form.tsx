import { Button, Fieldset, Group, Stack } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import type { ReactNode } from "react";
import { patch } from "../../api/call";
import { useRole } from "../../api/role";
import type { Store } from "../../api/shapes";
import { useAction } from "../../kit/form/action";
import { Section } from "../../kit/section";
import classes from "./tabs.module.css";

interface SettingsFormProps<Values> {
  store: Store;
  title: string;
  intro?: string;
  initialValues: Values;
  /** Fields have the API's names, so that its refusals find them. */
  bodyOf: (values: Values) => object;
  children: (form: UseFormReturnType<Values>) => ReactNode;
  aside?: (values: Values) => ReactNode;
}

/** Some settings require a fresh proof, and the others should not. */
function changedOf(before: object, after: object): object {
  const was = new Map<string, unknown>(Object.entries(before));
  const fields = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(was.get(name)),
  );
  return Object.fromEntries(fields);
}

export function SettingsForm<Values extends Record<string, unknown>>(props: SettingsFormProps<Values>) {
  const { store, title, intro, initialValues, bodyOf, children, aside } = props;
  const owner = useRole(store.storeId).can("owner");
  const form = useForm<Values>({ initialValues });
  const save = useAction({
    run: (values: Values) =>
      patch<Store>(`/stores/${store.storeId}`, changedOf(bodyOf(initialValues), bodyOf(values))),
    form,
    changes: ["/stores"],
    done: "Saved",
    then: () => form.resetDirty(),
  });
  const section = (
    <Section title={title} intro={intro}>
      <form onSubmit={form.onSubmit((values) => save.mutate(values))} aria-label={title} noValidate>
        <Fieldset variant="unstyled" disabled={!owner}>
          <Stack>
            {children(form)}
            {owner && (
              <Group>
                <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
                  Save
                </Button>
              </Group>
            )}
          </Stack>
        </Fieldset>
      </form>
    </Section>
  );
  if (aside === undefined) return <div className={classes.form}>{section}</div>;
  return (
    <div className={classes.beside}>
      {section}
      {aside(form.values)}
    </div>
  );
}
