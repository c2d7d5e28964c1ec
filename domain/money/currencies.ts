import { invalidField } from "../errors";

/** Not fiat money. */
const BITCOIN_UNITS = { BTC: 8, SATS: 0 } as const;

/**
 * ISO 4217 (list one) by minor-unit digits, without codes that have none (gold, test codes): nothing can be
 * priced in them.
 */
const FIAT_BY_MINOR_UNITS = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW
    CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR
    ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV
    MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD
    SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
  3: "BHD IQD JOD KWD LYD OMR TND",
  4: "CLF UYW",
};

const MINOR_UNITS: ReadonlyMap<string, number> = new Map([
  ...Object.entries(BITCOIN_UNITS),
  ...Object.entries(FIAT_BY_MINOR_UNITS).flatMap(([digits, codes]) =>
    codes.split(/\s+/).map((code): [string, number] => [code, Number(digits)]),
  ),
]);

export const minorUnitsOfAll = (): Record<string, number> => Object.fromEntries(MINOR_UNITS);

/** Undefined for an unknown currency. */
export function minorUnits(currency: string): number | undefined {
  return MINOR_UNITS.get(currency);
}

/** @throws DomainError `validation-failed` at `field`, if it is unknown. */
export function checkedMinorUnits(currency: string, field = "/currency"): number {
  const digits = minorUnits(currency);
  if (digits === undefined)
    throw invalidField(field, "Must be BTC, SATS or an active ISO 4217 currency code in capitals.");
  return digits;
}

export function isFiat(currency: string): boolean {
  return MINOR_UNITS.has(currency) && !(currency in BITCOIN_UNITS);
}
