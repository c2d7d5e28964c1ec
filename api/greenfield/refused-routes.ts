/** Not served on purpose; each sentence says what to do instead. */
export const REFUSED_ROUTES: readonly (readonly [message: string, paths: readonly string[]])[] = [
  [
    "Refunds cannot be started by this API. Refund the customer from a wallet by hand.",
    [
      "/pull-payments{/*rest}",
      "/stores/:storeId/pull-payments{/*rest}",
      "/stores/:storeId/payouts{/*rest}",
      "/stores/:storeId/invoices/:invoiceId/refund",
    ],
  ],
  ["Users are managed in the dashboard.", ["/users{/*rest}", "/stores/:storeId/users{/*rest}"]],
  [
    "This API gives no access to Lightning nodes. An invoice shows what was paid to it.",
    ["/lightning{/*rest}", "/server/lightning{/*rest}", "/stores/:storeId/lightning{/*rest}"],
  ],
  [
    "This API gives no access to wallets. Set the store's wallet up in the dashboard.",
    ["/stores/:storeId/payment-methods/:paymentMethodId/wallet{/*rest}"],
  ],
  [
    "There are no payment requests. Create an invoice.",
    ["/payment-requests{/*rest}", "/stores/:storeId/payment-requests{/*rest}"],
  ],
  ["There are no apps.", ["/apps{/*rest}", "/stores/:storeId/apps{/*rest}"]],
  [
    "This endpoint belongs to version 1 of the Greenfield API. Use /payment-methods, or update the plugin.",
    [
      "/stores/:storeId/payment-methods/OnChain{/*rest}",
      "/stores/:storeId/payment-methods/LightningNetwork{/*rest}",
      "/stores/:storeId/payment-methods/LNURL{/*rest}",
      "/stores/:storeId/payment-methods/LNURLPay{/*rest}",
    ],
  ],
];
