import { Button, Checkbox, Modal, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { MadeLink } from "../../api/admin";
import { post } from "../../api/call";
import { useAction } from "../../kit/form/action";
import type { ShownLink } from "./shown-link";

interface InviteProps {
  close: () => void;
  invited: (shown: ShownLink) => void;
}

export function InviteDialog({ opened, ...form }: InviteProps & { opened: boolean }) {
  return (
    <Modal opened={opened} onClose={form.close} title="Invite a user">
      <InviteForm {...form} />
    </Modal>
  );
}

function InviteForm({ close, invited }: InviteProps) {
  const form = useForm({ initialValues: { email: "", admin: false } });
  const invite = useAction({
    run: async ({ email, admin }: typeof form.values) => ({
      email: email.trim(),
      link: await post<MadeLink>("/admin/users", { email: email.trim(), admin }),
    }),
    form,
    changes: ["/admin/users"],
    then(shown) {
      close();
      invited(shown);
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => invite.mutate(values))}>
      <Stack>
        <TextInput
          label="E-mail"
          description="They can create stores of their own. To give them access to an existing store, add them in that store."
          type="email"
          maxLength={254}
          required
          data-autofocus
          {...form.getInputProps("email")}
        />
        <Checkbox
          label="Server admin"
          description="Can see and change all stores, all users and the server."
          {...form.getInputProps("admin", { type: "checkbox" })}
        />
        <Button type="submit" loading={invite.isPending}>
          Create the link
        </Button>
      </Stack>
    </form>
  );
}
