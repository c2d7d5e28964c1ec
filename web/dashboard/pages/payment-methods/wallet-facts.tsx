import { Alert, Stack, Text } from "@mantine/core";
import type { Wallet } from "../../api/settings";
import { Copyable } from "../../kit/copy";
import { Facts } from "../../kit/facts";
import { groupDigits } from "../../kit/format/format-money";
import { Icon } from "../../kit/icon";
import { TextLink } from "../../kit/links";
import { Time } from "../../kit/format/time";
import { SCRIPT_TYPES } from "./script-types";

const GAP_LIMIT = 20;

/** And whether its owner's software still finds payments. */
export function WalletFacts({ storeId, wallet }: { storeId: string; wallet: Wallet }) {
  const { scriptType, fingerprint, nextIndex, highestPaidIndex, unpaidInARow, createdAt, available } = wallet;
  return (
    <>
      <Facts
        facts={[
          ["Address type", SCRIPT_TYPES[scriptType]],
          [
            "Account key's fingerprint",
            fingerprint === null ? (
              "not shown"
            ) : (
              <Copyable key="fingerprint" value={fingerprint} label="the fingerprint" />
            ),
          ],
          ["Next address", <Path key="next" index={nextIndex} />],
          [
            "Last paid address",
            highestPaidIndex === null ? "none yet" : <Path key="paid" index={highestPaidIndex} />,
          ],
          ["Unpaid in a row", groupDigits(unpaidInARow)],
          ["In use since", <Time key="since" value={createdAt} />],
        ]}
      />
      {!available && <NotAuthentic />}
      <GapLimit storeId={storeId} unpaidInARow={unpaidInARow} />
    </>
  );
}

const NotAuthentic = () => (
  <Alert color="red" icon={<Icon name="triangle-alert" />} title="This is not the wallet that was set">
    <Text size="sm">
      It was changed in the database, so new invoices get no address from it. Set your wallet again, and
      inform the server&apos;s operator.
    </Text>
  </Alert>
);

const Path = ({ index }: { index: number }) => <span className="numeral">0/{groupDigits(index)}</span>;

function GapLimit({ storeId, unpaidInARow }: { storeId: string; unpaidInARow: number }) {
  const beyond = unpaidInARow > GAP_LIMIT;
  const title = beyond ? "Your own wallet may not find the next payment" : "Raise your wallet's gap limit";
  return (
    <Alert
      color={beyond ? "yellow" : "gray"}
      icon={<Icon name={beyond ? "triangle-alert" : "info"} />}
      title={title}
    >
      <Stack gap="xs">
        <Text size="sm">
          {beyond && `None of the last ${groupDigits(unpaidInARow)} addresses was paid. `}
          Most wallets stop searching after {GAP_LIMIT} unused addresses in a row: payments further on are
          yours, and are not shown. Set the limit to 1,000 or more in the wallet&apos;s settings.
        </Text>
        <Text size="sm">
          Invoices that nobody opens need take no address:{" "}
          <TextLink
            to="/stores/$storeId/settings/general"
            params={{ storeId }}
            search={{ tab: "invoices" }}
            inherit
            c="inherit"
          >
            see the store&apos;s settings
          </TextLink>
          .
        </Text>
      </Stack>
    </Alert>
  );
}
