import type { z } from "zod";
import type { CreateInvoiceInput } from "../../commands/invoices/create-invoice";
import { invalidField } from "../../domain/errors";
import { plainDecimal } from "../../domain/greenfield/number-text";
import { paymentMethodsOf } from "../../domain/greenfield/payment-method-id";
import { confirmationsOf } from "../../domain/greenfield/speed-policy";
import { namingMembers, rawMember } from "../../domain/invoice/metadata";
import type { PaymentMethodType } from "../../domain/invoice/status";
import { CATALOGUES } from "../../domain/languages/catalogues";
import { AMOUNT, type createBody, pluginMetadata } from "./invoice-request";

type CreateBody = z.output<typeof createBody>;

/** More than all bitcoin in the weakest currency. */
const WHOLE_DIGITS_MAX = 20;

/** @throws DomainError `validation-failed`. */
export function toNativeInvoice(body: CreateBody, rawBody: string): CreateInvoiceInput {
  const { currency, metadata } = body;
  const checkout: Partial<NonNullable<CreateBody["checkout"]>> = body.checkout ?? {};
  const {
    redirectURL,
    redirectAutomatically,
    speedPolicy,
    expirationMinutes,
    monitoringMinutes,
    paymentTolerance,
    defaultLanguage,
  } = checkout;
  const paymentMethods = requestedMethods(checkout.paymentMethods);
  const language = defaultLanguage === undefined ? undefined : knownLanguage(defaultLanguage);
  return {
    amount: amountOf(rawBody),
    lenient: true,
    ...(currency === undefined ? {} : { currency }),
    ...(metadata && { metadataJson: pluginMetadata(rawBody) }),
    ...(redirectURL === undefined ? {} : { redirectUrl: redirectURL }),
    ...(redirectAutomatically === undefined ? {} : { redirectAutomatically }),
    ...(speedPolicy === undefined ? {} : { requiredConfirmations: confirmationsOf(speedPolicy) }),
    ...(expirationMinutes === undefined ? {} : { expiresInSeconds: expirationMinutes * 60 }),
    ...(monitoringMinutes === undefined ? {} : { monitoringSeconds: monitoringMinutes * 60 }),
    ...(paymentTolerance === undefined ? {} : { paymentTolerance }),
    ...(paymentMethods === undefined ? {} : { paymentMethods }),
    ...(language === undefined ? {} : { language }),
  };
}

/** From the text: a number of JSON need not be a binary fraction. */
function amountOf(rawBody: string): string {
  const amount = plainDecimal(rawMember(namingMembers(rawBody, ["amount"]), "amount") ?? "");
  if (amount === null) throw invalidField("/amount", AMOUNT);
  if (amount.startsWith("-")) throw invalidField("/amount", "Must be above 0.");
  if (amount.replace(/\..*/, "").length > WHOLE_DIGITS_MAX)
    throw invalidField("/amount", "Must be worth at most 21,000,000 BTC.");
  return amount;
}

function requestedMethods(ids: readonly string[] | undefined): PaymentMethodType[] | undefined {
  if (ids === undefined || ids.length === 0) return undefined;
  const methods = paymentMethodsOf(ids);
  if (methods.length === 0)
    throw invalidField("/checkout/paymentMethods", "Must name BTC-CHAIN or BTC-LN: no others are supported.");
  return methods;
}

/** Others are ignored: the browser decides. */
function knownLanguage(sent: string): string | undefined {
  const tag = sent.replaceAll("_", "-");
  const wellFormed = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,3}$/.test(tag);
  const code = tag.toLowerCase().split("-")[0] ?? "";
  return wellFormed && Object.hasOwn(CATALOGUES, code) ? tag : undefined;
}
