import { SegmentedControl } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { checkoutPreviewAnswer } from "../../../../api/dashboard/stores/request";
import { post } from "../../api/call";
import type { Answer } from "../../api/shapes";
import { styleNonce } from "../../app/style-nonce";
import { Loaded } from "../../kit/loaded";
import { Section } from "../../kit/section";
import classes from "./preview.module.css";

/** Named as in the API. */
interface Look {
  sellerDetails: string | null;
  branding: { logoUrl: string | null; color: string | null };
}

const TYPED_MS = 300;

/** Made by the server, in a frame without scripts. */
export function CheckoutPreview({ storeId, look }: { storeId: string; look: Look }) {
  const [phase, setPhase] = useState("waiting");
  const [typed] = useDebouncedValue(look, TYPED_MS);
  const { logoUrl, color } = typed.branding;
  const branding = {
    logoUrl: logoUrl !== null && /^https?:/.test(logoUrl) && URL.canParse(logoUrl) ? logoUrl : null,
    color: color !== null && /^#[0-9a-f]{6}$/i.test(color) ? color : null,
  };
  const body = { phase, nonce: styleNonce(), sellerDetails: typed.sellerDetails, branding };
  const preview = useQuery({
    queryKey: ["checkout-preview", storeId, body],
    queryFn: () => post<Answer<typeof checkoutPreviewAnswer>>(`/stores/${storeId}/checkout-preview`, body),
    placeholderData: keepPreviousData,
  });
  return (
    <Section
      title="Preview"
      intro="An invoice that does not exist, with what you have typed."
      actions={
        <SegmentedControl
          aria-label="State of the invoice"
          size="xs"
          value={phase}
          onChange={setPhase}
          data={[
            { value: "waiting", label: "To be paid" },
            { value: "paid", label: "Paid" },
          ]}
        />
      }
    >
      <Loaded query={preview}>
        {({ document }) => (
          <iframe
            className={classes.frame}
            title="Preview of the checkout"
            sandbox="allow-same-origin"
            srcDoc={document}
          />
        )}
      </Loaded>
    </Section>
  );
}
