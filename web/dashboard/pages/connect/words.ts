const WORDS: Readonly<Record<string, string>> = {
  "btcpay.store.canviewinvoices": "Read invoices",
  "btcpay.store.cancreateinvoice": "Create invoices",
  "btcpay.store.canviewstoresettings": "Read the store's name, payment methods and rates",
  "btcpay.store.canmodifyinvoices":
    "Mark invoices as settled or invalid, archive them, change their metadata",
  "btcpay.store.webhooks.canmodifywebhooks": "Register, change and delete webhooks",
  "btcpay.store.canmodifystoresettings":
    "Change the store's settings (the key has the name; it gives nothing)",
  "btcpay.store.cancreatepullpayments": "Refunds",
  "btcpay.store.cancreatenonapprovedpullpayments": "Refunds",
};

export const wordsOf = (permission: string): string => WORDS[permission] ?? permission;
