import {
  Button,
  Group,
  Modal,
  NumberInput,
  Radio,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { post } from "../../api/call";
import { type Review, reviewPath, reviewsPath } from "../../api/reviews";
import { useAction } from "../../kit/form/action";
import { DialogFoot } from "../../kit/form/dialog-foot";
import { sumsOf } from "./columns";

export function ResolveDialog(props: { storeId: string; review: Review | null; close: () => void }) {
  const { storeId, review, close } = props;
  return (
    <Modal
      opened={review !== null}
      onClose={close}
      title={review === null ? "" : `Resolve ${review.orderId}`}
    >
      {review !== null && (
        <ResolveForm key={review.reviewId} storeId={storeId} review={review} close={close} />
      )}
    </Modal>
  );
}

const CHOICES: Record<NonNullable<Review["resolution"]>, string> = {
  fulfilled: "Fulfilled: the order is delivered",
  refunded: "Refunded: I have sent it back from my wallet",
  kept: "Kept: the customer agreed, or did not answer",
  "written-off": "Written off: nothing can be done",
};

const owed = ({ reason, receivedSats, dueSats }: Review): number =>
  reason === "overpaid" ? receivedSats - dueSats : receivedSats;

interface Values {
  resolution: string;
  type: string;
  /** As the API names them, so that its refusals find their fields. */
  refund: { reference: string; amountSats: number | string };
  note: string;
}

function ResolveForm({ storeId, review, close }: { storeId: string; review: Review; close: () => void }) {
  const form = useForm<Values>({
    initialValues: {
      resolution: "",
      type: "BTC-CHAIN",
      refund: { reference: "", amountSats: owed(review) },
      note: "",
    },
  });
  const { resolution, type, refund, note } = form.values;
  const save = useAction({
    run: () =>
      post(`${reviewPath(storeId, review)}/resolve`, {
        resolution,
        receivedSats: review.receivedSats,
        ...(resolution === "refunded" && {
          refund: { type, reference: refund.reference.trim(), amountSats: Number(refund.amountSats) },
        }),
        ...(note.trim() === "" ? {} : { note: note.trim() }),
      }),
    form,
    changes: [reviewsPath(storeId), `/stores/${storeId}/home`],
    done: "The decision is recorded.",
    then: close,
  });
  return (
    <form onSubmit={form.onSubmit(() => save.mutate())}>
      <Stack>
        <Text size="sm">
          {sumsOf(review)} came. {review.suggestion}
        </Text>
        <Radio.Group label="What did you do?" {...form.getInputProps("resolution")}>
          <Stack gap="xs" mt="xs">
            {Object.entries(CHOICES).map(([value, label]) => (
              <Radio key={value} value={value} label={label} />
            ))}
          </Stack>
        </Radio.Group>
        {resolution === "refunded" && <RefundFields form={form} />}
        <Textarea
          label="Note (optional)"
          autosize
          minRows={2}
          maxLength={500}
          {...form.getInputProps("note")}
        />
        <DialogFoot cancel={close}>
          <Button type="submit" loading={save.isPending} disabled={resolution === ""}>
            Record the decision
          </Button>
        </DialogFoot>
      </Stack>
    </form>
  );
}

function RefundFields({ form }: { form: UseFormReturnType<Values> }) {
  return (
    <>
      <Group>
        <SegmentedControl
          aria-label="Refunded by"
          data={[
            { value: "BTC-CHAIN", label: "Bitcoin" },
            { value: "BTC-LN", label: "Lightning" },
          ]}
          {...form.getInputProps("type")}
        />
      </Group>
      <TextInput
        label={form.values.type === "BTC-CHAIN" ? "Transaction ID" : "Payment hash"}
        description="From your wallet. Nothing is sent by this page."
        required
        {...form.getInputProps("refund.reference")}
      />
      <NumberInput
        label="Amount in sats"
        description="Without the fee."
        allowDecimal={false}
        allowNegative={false}
        required
        {...form.getInputProps("refund.amountSats")}
      />
    </>
  );
}
