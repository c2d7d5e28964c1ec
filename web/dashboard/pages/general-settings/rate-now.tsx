import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { isFiat, rateQuery, satsAt } from "../../api/rates";
import type { Store } from "../../api/shapes";
import { Facts } from "../../kit/facts";
import { formatAmount, formatSats } from "../../kit/format/format-money";
import { Loaded } from "../../kit/loaded";
import { Section } from "../../kit/section";
import { RATE_SOURCES } from "./rate-sources";

const PRICE = 100;

export function RateNow({ store: { storeId, defaultCurrency, rateSpread } }: { store: Store }) {
  const currency = isFiat(defaultCurrency) ? defaultCurrency : "EUR";
  const rates = useQuery(rateQuery(storeId, currency));
  const price = formatAmount(String(PRICE), currency);
  return (
    <Section title={`What ${price} costs now`} intro="By the saved settings.">
      <Loaded query={rates} lines={2}>
        {({ data: [now] }) =>
          now !== undefined && (
            <>
              <Text size="xl" fw={700} className="numeral">
                {formatSats(satsAt(PRICE, now.rate))}
              </Text>
              <Facts
                facts={[
                  ["1 BTC", formatAmount(now.rate, currency)],
                  ["Spread in it", rateSpread === 0 ? null : `${rateSpread} %`],
                  ["Agreed on by", now.sources.map((name) => RATE_SOURCES[name] ?? name).join(", ")],
                  ["Age", `${now.ageSeconds} s`],
                ]}
              />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}
