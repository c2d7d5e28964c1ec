import { Button, Modal, Radio, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { post } from "../../api/call";
import { membersPath, type AddedMember } from "../../api/settings";
import type { Role } from "../../api/shapes";
import { useAction } from "../../kit/form/action";
import { ROLES } from "./roles";

interface AddProps {
  storeId: string;
  close: () => void;
  added: (member: AddedMember) => void;
}

export function AddMemberDialog({ opened, ...form }: AddProps & { opened: boolean }) {
  return (
    <Modal opened={opened} onClose={form.close} title="Add a user">
      <AddMemberForm {...form} />
    </Modal>
  );
}

function AddMemberForm({ storeId, close, added }: AddProps) {
  const path = membersPath(storeId);
  const form = useForm<{ email: string; role: Role }>({ initialValues: { email: "", role: "viewer" } });
  const add = useAction({
    run: ({ email, role }: typeof form.values) => post<AddedMember>(path, { email: email.trim(), role }),
    form,
    changes: [path, `/stores/${storeId}/audit`],
    then(answer) {
      close();
      added(answer);
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate(values))}>
      <Stack>
        <TextInput
          label="E-mail"
          description="They accept the invitation in their dashboard. New users get a link to choose a password."
          type="email"
          maxLength={254}
          required
          data-autofocus
          {...form.getInputProps("email")}
        />
        <Radio.Group label="Role" {...form.getInputProps("role")}>
          <Stack gap="xs" mt="xs">
            {ROLES.map(({ value, label, may }) => (
              <Radio key={value} value={value} label={label} description={may} />
            ))}
          </Stack>
        </Radio.Group>
        <Button type="submit" loading={add.isPending}>
          Add
        </Button>
      </Stack>
    </form>
  );
}
