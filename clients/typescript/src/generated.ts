// Made from the API's description by `node scripts/npm/client-types.cjs`; changes here are lost.

export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the service's health and its problems
         * @description 503 only while the database is unavailable. Every other problem is `degraded` with 200.
         */
        get: operations["readHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read whether the process runs, without its dependencies */
        get: operations["readLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read this description (OpenAPI 3.1); it is at /openapi.json without a key as well */
        get: operations["readDescription"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/server/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the server's version, payment methods and node state */
        get: operations["readServerInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the store's settings */
        get: operations["readStore"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the store's settings
         * @description What is left out stays; `null` takes a value away. The settings hold for invoices that are made from now on.
         */
        patch: operations["changeStore"];
        trace?: never;
    };
    "/stores/{storeId}/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the store's alerts, newest first */
        get: operations["listAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List keys, newest first, expired ones too */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create a key; its text is shown once
         * @description A key has full access to its store. One that a key made is deleted with it, and expires no later than it.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/api-keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a key and the keys that it made; it is refused from now on */
        delete: operations["deleteApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/api-keys/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the key that this request carries */
        get: operations["readCurrentApiKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the store's events in order, or wait for the next
         * @description Every event of the store's invoices, oldest first, whether or not a webhook is registered. Nothing ever appears in front of what was read: go on with `nextAfter` and none is missed or read twice. With `wait` an empty answer comes only after so many seconds, or a second earlier at the most. Test events are not in it. An answer ends after 2 MiB, whatever the limit: go on with `nextAfter`.
         */
        get: operations["readEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List invoices, newest first */
        get: operations["listInvoices"];
        put?: never;
        /** Create an invoice */
        post: operations["createInvoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/invoices/{invoiceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an invoice */
        get: operations["readInvoice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an invoice's metadata and redirect URL, or clear its refund address
         * @description Fields of `metadata` are put into those that the invoice has, `null` takes one away; all others stay exactly as they were sent. `orderId` cannot be changed. `refundAddress: null` lets the customer leave another one. Events that were written before keep the metadata that they have.
         */
        patch: operations["editInvoice"];
        trace?: never;
    };
    "/stores/{storeId}/invoices/{invoiceId}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Archive an invoice; payments to it are still detected */
        post: operations["archiveInvoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/invoices/{invoiceId}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check the payment methods now and decide the invoice again */
        post: operations["checkInvoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/invoices/{invoiceId}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase a customer's data from an invoice
         * @description For good: `metadata` but for `orderId`, `description`, `redirectUrl`, `refundAddress`, notes, the bodies of its events, which cannot be redelivered any more (`pruned`), and what receivers answered. Amounts, payments and status stay, and the invoice goes on; later events carry `orderId` alone. Refused with `delivery-in-progress` while one of its webhooks has yet to be sent. An answer kept for an `Idempotency-Key` goes within 24 hours of the creation.
         */
        post: operations["eraseInvoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/invoices/{invoiceId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an invoice's history, newest first
         * @description Its statuses with their reasons, its payments, the events that were written for webhooks, and edits by hand.
         */
        get: operations["listInvoiceHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/invoices/{invoiceId}/payment-methods/BTC-CHAIN/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activate an invoice's on-chain address
         * @description An invoice of a store with `lazyAddresses` has no address (`not-activated`) until its page is first opened, or this is called. Calling it again changes nothing, and so it is where the address was given at creation. An invoice that is no longer open gets none: `invalid-transition`. `payment-method-unavailable`: the store has no wallet now, or one to whose addresses so small a price cannot be paid.
         */
        post: operations["activateOnchain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/invoices/{invoiceId}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mark an invoice settled or invalid by hand */
        post: operations["markInvoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/invoices/{invoiceId}/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore an archived invoice */
        post: operations["unarchiveInvoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/invoices/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export invoices with their payments, rates and times, newest first
         * @description All invoices that match, however many: the answer is made while it is read. One that breaks off ends the connection without the end of the body.
         *
         *     `csv` has a line an invoice (RFC 4180, a header line, every cell in quotes). The payment columns hold a word a payment, in the same order, `-` where there is no time yet. Where a text would start a formula in a spreadsheet, an apostrophe stands before it. Metadata are in `json` alone.
         *
         *     A store has two exports at a time; a third is refused with `rate-limited`. One of which nothing is read for 15 s is cut off.
         */
        get: operations["exportInvoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/payment-methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List how the store is paid */
        get: operations["listPaymentMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/payment-methods/BTC-CHAIN": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read where on-chain payments go: the key's fingerprint, not the key */
        get: operations["readWallet"];
        /**
         * Set the account key that on-chain payments go to from the next invoice on
         * @description Open invoices keep their addresses; one that has none yet (`not-activated`) takes it from the new key. The change is noted in the audit log, and the store's owners are alerted and told by mail. An API key may set a store's first wallet; replacing it or moving `startIndex` needs the store's `walletChangesByKey`, which only the dashboard switches on: else 403 `dashboard-only`. A wallet that another store uses is refused with 409 `wallet-in-use`, unless a server admin or somebody who owns both stores sets it in the dashboard.
         */
        put: operations["changeWallet"];
        post?: never;
        /**
         * Stop on-chain payments for new invoices
         * @description Addresses that were given out stay watched. A key that comes back goes on where it stood. An API key needs the store's `walletChangesByKey`: else 403 `dashboard-only`.
         */
        delete: operations["removeWallet"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/payment-methods/BTC-CHAIN/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Preview the addresses of a key; nothing is stored */
        post: operations["previewWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/payment-methods/BTC-LN": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read whether the store takes Lightning payments */
        get: operations["readLightning"];
        /**
         * Refused for API keys: a server admin switches Lightning on
         * @description Lightning payments go to the server's own node, so a server admin switches them for a store; an API key is refused.
         */
        put: operations["switchLightningOn"];
        post?: never;
        /**
         * Refused for API keys: a server admin switches Lightning off
         * @description Lightning payments go to the server's own node, so a server admin switches them for a store; an API key is refused.
         */
        delete: operations["switchLightningOff"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What bitcoin costs now, for invoices of this store
         * @description The rates that invoices would get now: the median of the exchanges that agree, less the store's spread. When one of the currencies has no rate, the answer is 503 `rate-unavailable`.
         */
        get: operations["readRates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List webhooks, newest first */
        get: operations["listWebhooks"];
        put?: never;
        /** Register an endpoint for events; the secret is shown once */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a webhook */
        get: operations["readWebhook"];
        put?: never;
        post?: never;
        /** Delete a webhook; its deliveries can still be read and sent by hand */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook's URL and events, enable or disable it
         * @description What is left out stays. URL and switch hold for everything that has not left yet, the events for those that happen from now on.
         */
        patch: operations["changeWebhook"];
        trace?: never;
    };
    "/stores/{storeId}/webhooks/{webhookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a webhook's deliveries, newest first */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/webhooks/{webhookId}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a delivery with its attempts */
        get: operations["readDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a delivery again */
        post: operations["redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/webhooks/{webhookId}/deliveries/{deliveryId}/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the request of a delivery's last attempt
         * @description Headers and body are those that left, byte for byte; the URL is the webhook's of now. Before the first attempt there are no signatures.
         */
        get: operations["readDeliveryRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/webhooks/{webhookId}/deliveries/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send many deliveries again, by default those that failed */
        post: operations["redeliverMany"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/webhooks/{webhookId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a new signing secret; it is shown once
         * @description `X-Service-Sig` is made with the new secret from now on. In `webhook-signature` the old one signs beside it for `overlapSeconds` (a day unless you say otherwise; 0 forgets it at once).
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/webhooks/{webhookId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a made-up event
         * @description A delivery like any other, whatever the webhook is subscribed to. Its invoice does not exist, and its header `X-Service-Test` is `true`.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    invoiceEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The status of an invoice changed
         * @description Sent once, with no automatic retry; it can be redelivered by hand. Answer with any 2xx within 10 seconds: anything else is a failed delivery. Verify the signature over the body's bytes before you parse them, and skip an order that is marked as paid: it can have two `Settled` events.
         */
        post: operations["invoiceEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @description What was unusual about the way to the status.
         * @example None
         * @enum {string}
         */
        AdditionalStatus: "None" | "Underpaid" | "Overpaid" | "PaidAfterExpiration";
        /**
         * @description Something that needs a person's attention.
         * @example {
         *       "alertId": "alr_8Kp2xTgW5rMzQn7VyCsLbF",
         *       "kind": "late-payment",
         *       "severity": "warning",
         *       "storeId": "4wBqpZM9k2mAgN8rTzZy7VdQ3hUuFLcXeJ5sRtGbKoPq",
         *       "invoiceId": "inv_7Yt3kQm9ZxWvB2nRcLsDfH",
         *       "message": "A payment reached the invoice after its expiry: review it by hand.",
         *       "at": "2026-03-01T12:40:00.000Z",
         *       "resolvedAt": null
         *     }
         */
        Alert: {
            /** @example alr_8Kp2xTgW5rMzQn7VyCsLbF */
            alertId: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            invoiceId: string | null;
            /** @enum {string} */
            kind: "late-payment" | "part-payment" | "payment-to-invalid-invoice" | "payment-before-invoice" | "reorganisation" | "double-spend" | "expiry-held" | "node-away" | "node-behind" | "node-blind" | "other-chain" | "lightning-away" | "lightning-locked" | "lightning-forbidden" | "lightning-other-node" | "cannot-receive" | "deliveries-failing" | "wallet-changed" | "settings-weakened" | "destination-not-authentic" | "rates-away" | "gap-limit" | "books-differ" | "set-aside";
            message: string;
            /** @description Null while it is open. */
            resolvedAt: string | null;
            /** @enum {string} */
            severity: "info" | "warning" | "critical";
            /**
             * @description The store that the key belongs to.
             * @example 4wBqpZM9k2mAgN8rTzZy7VdQ3hUuFLcXeJ5sRtGbKoPq
             */
            storeId: string;
        };
        AlertPage: {
            data: components["schemas"]["Alert"][];
            /**
             * @description Send it as `cursor` to get the next items; null at the end of the list.
             * @example null
             */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "id": "key_6Hm4tNcR9wLsXv3ZqBpJdG",
         *       "name": "Web shop",
         *       "prefix": "Zk3vQ9xA",
         *       "createdAt": "2026-02-01T09:00:00.000Z",
         *       "createdByUserId": "usr_9kQm3ZtXw5RbVcYdEfGhJn",
         *       "createdByEmail": null,
         *       "lastUsedAt": "2026-03-01T12:00:00.000Z",
         *       "expiresAt": null
         *     }
         */
        ApiKey: {
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            createdAt: string;
            /** @description That user's address, for owners in the dashboard; null by key. */
            createdByEmail: string | null;
            /** @description The user who made it, or the key that did; null for the command line. */
            createdByUserId: string | null;
            expiresAt: string | null;
            /** @example key_6Hm4tNcR9wLsXv3ZqBpJdG */
            id: string;
            /** @description To five minutes. */
            lastUsedAt: string | null;
            name: string;
            /** @description The first characters after `sk_live_` or `sk_test_`. */
            prefix: string;
        };
        ApiKeyPage: {
            data: components["schemas"]["ApiKey"][];
            /**
             * @description Send it as `cursor` to get the next items; null at the end of the list.
             * @example null
             */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "id": "key_6Hm4tNcR9wLsXv3ZqBpJdG",
         *       "name": "Web shop",
         *       "prefix": "Zk3vQ9xA",
         *       "createdAt": "2026-02-01T09:00:00.000Z",
         *       "createdByUserId": "usr_9kQm3ZtXw5RbVcYdEfGhJn",
         *       "createdByEmail": null,
         *       "lastUsedAt": null,
         *       "expiresAt": null,
         *       "apiKey": "sk_live_Zk3vQ9xA0000000000000000000000000000000000000000000"
         *     }
         */
        ApiKeyWithText: {
            /** @description It is shown in this answer and never again. */
            apiKey: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            createdAt: string;
            /** @description That user's address, for owners in the dashboard; null by key. */
            createdByEmail: string | null;
            /** @description The user who made it, or the key that did; null for the command line. */
            createdByUserId: string | null;
            expiresAt: string | null;
            /** @example key_6Hm4tNcR9wLsXv3ZqBpJdG */
            id: string;
            /** @description To five minutes. */
            lastUsedAt: string | null;
            name: string;
            /** @description The first characters after `sk_live_` or `sk_test_`. */
            prefix: string;
        };
        /**
         * @description One request to a webhook.
         * @example {
         *       "number": 1,
         *       "cause": "automatic",
         *       "startedAt": "2026-03-01T12:14:52.130Z",
         *       "durationMs": 182,
         *       "httpStatus": 200,
         *       "error": null,
         *       "responseBody": "ok",
         *       "resolvedIp": "198.51.100.7"
         *     }
         */
        Attempt: {
            /**
             * @description The first one is automatic, all others by hand.
             * @enum {string}
             */
            cause: "automatic" | "manual";
            /**
             * @description In milliseconds.
             * @example 182
             */
            durationMs: number | null;
            /**
             * @description A short code such as `timeout` or `http-500`; null when it was delivered.
             * @example null
             */
            error: string | null;
            /**
             * @description The endpoint's status line; null when none came.
             * @example 200
             */
            httpStatus: number | null;
            number: number;
            /** @description The address that it was sent to. */
            resolvedIp: string | null;
            /** @description The first 4 KiB of the response body. */
            responseBody: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            startedAt: string;
        };
        /**
         * @example {
         *       "name": "Tea shop",
         *       "requiredConfirmations": 2,
         *       "branding": {
         *         "color": "#f7931a"
         *       }
         *     }
         */
        ChangeStore: {
            branding?: {
                color?: string | null;
                logoUrl?: string | null;
            };
            checkoutOrigins?: string[];
            confirmationTiers?: {
                aboveSats: number;
                confirmations: number;
            }[];
            defaultCurrency?: string;
            expiresInSeconds?: number;
            lazyAddresses?: boolean;
            monitoringSeconds?: number;
            name?: string;
            paymentTolerance?: number | string;
            privateRouteHints?: boolean;
            rateSources?: string[] | null;
            rateSpread?: number | string;
            redirectAutomatically?: boolean;
            requiredConfirmations?: number;
            supportUrl?: string | null;
            website?: string | null;
            zeroConfMaxSats?: number | null;
        };
        /**
         * @example {
         *       "xpub": "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V",
         *       "scriptType": "wpkh"
         *     }
         */
        ChangeWallet: {
            descriptor?: string;
            /** @enum {string} */
            scriptType?: "wpkh" | "tr" | "sh-wpkh" | "pkh";
            /** @description Index of the first address to give out, at most 10,000 above the highest that the wallet has given out. It only ever raises the next index. */
            startIndex?: number;
            xpub?: string;
        };
        /**
         * @example {
         *       "enabled": false
         *     }
         * @example {
         *       "events": [
         *         "Settled"
         *       ]
         *     }
         */
        ChangeWebhook: {
            enabled?: boolean;
            events?: ("New" | "Processing" | "Settled" | "Expired" | "Invalid")[];
            url?: string;
        };
        /**
         * @example {
         *       "name": "Web shop"
         *     }
         */
        CreateApiKey: {
            /** Format: date-time */
            expiresAt?: string;
            name: string;
        };
        /**
         * @example {
         *       "amount": "25000",
         *       "currency": "SATS",
         *       "metadata": {
         *         "orderId": "A-1001",
         *         "cart": [
         *           "tea"
         *         ]
         *       },
         *       "redirectUrl": "https://shop.example/thanks/{orderId}",
         *       "description": "Order A-1001"
         *     }
         * @example {
         *       "amount": "12.50",
         *       "currency": "EUR",
         *       "metadata": {
         *         "orderId": "A-1002"
         *       },
         *       "expiresInSeconds": 1800
         *     }
         */
        CreateInvoice: {
            /** @description The price: whole for `SATS`, at most 8 decimals for `BTC`, the currency's own decimals for others. */
            amount: string;
            /** @description `BTC`, `SATS` or an ISO 4217 code; the store's where it is left out. */
            currency?: string;
            /** @description Shown to the customer. */
            description?: string;
            /** @description How long the price holds. The store's where it is left out. */
            expiresInSeconds?: number;
            /** @description Of the page on which the customer pays, such as `en` or `pt-BR`. */
            language?: string;
            /** @description Yours, at most 32 KiB; returned as it was sent, in answers and webhooks. `orderId` is a text of at most 200 characters; where it is left out it is the invoiceId. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description How long after that late payments still change the invoice. The store's where it is left out. */
            monitoringSeconds?: number;
            /** @description All that the store has where it is left out. */
            paymentMethods?: ("BTC-CHAIN" | "BTC-LN")[];
            /** @description How much less than the price is enough, in per cent with at most 4 decimals. The store's where it is left out. */
            paymentTolerance?: number | string;
            /** @description Whether the customer goes there without a click. The store's where it is left out. */
            redirectAutomatically?: boolean;
            /** @description Where the customer goes afterwards. `{invoiceId}` and `{orderId}` are filled in. */
            redirectUrl?: string;
            /** @description From how many confirmations a payment counts as confirmed. The store's where it is left out. */
            requiredConfirmations?: number;
        };
        /**
         * @example {
         *       "url": "https://shop.example/hooks/bitcoin",
         *       "events": [
         *         "Settled",
         *         "Expired"
         *       ]
         *     }
         */
        CreateWebhook: {
            enabled?: boolean;
            events?: ("New" | "Processing" | "Settled" | "Expired" | "Invalid")[];
            url: string;
        };
        /**
         * @description One event on its way to one webhook.
         * @example {
         *       "deliveryId": "whd_9Gk2hLwR7pXsVt4QzMbNcE",
         *       "eventId": "evt_3Fn6vBxS8rKtJm5WyQzLpD",
         *       "webhookId": "wh_5Jd8sPqX4mTzRw9KbNvCfY",
         *       "invoiceId": "inv_7Yt3kQm9ZxWvB2nRcLsDfH",
         *       "type": "Settled",
         *       "additionalStatus": "None",
         *       "state": "delivered",
         *       "attemptCount": 1,
         *       "httpStatus": 200,
         *       "error": null,
         *       "durationMs": 182,
         *       "createdAt": "2026-03-01T12:14:52.000Z",
         *       "lastAttemptAt": "2026-03-01T12:14:52.130Z"
         *     }
         */
        Delivery: {
            additionalStatus: components["schemas"]["AdditionalStatus"];
            attemptCount: number;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            createdAt: string;
            /** @example whd_9Gk2hLwR7pXsVt4QzMbNcE */
            deliveryId: string;
            /**
             * @description In milliseconds.
             * @example 182
             */
            durationMs: number | null;
            /**
             * @description A short code such as `timeout` or `http-500`; null when it was delivered.
             * @example null
             */
            error: string | null;
            /**
             * @description The same at every redelivery.
             * @example evt_3Fn6vBxS8rKtJm5WyQzLpD
             */
            eventId: string;
            /**
             * @description The endpoint's status line; null when none came.
             * @example 200
             */
            httpStatus: number | null;
            /** @example inv_7Yt3kQm9ZxWvB2nRcLsDfH */
            invoiceId: string;
            lastAttemptAt: string | null;
            /**
             * @description Skipped: the webhook was disabled or deleted before the delivery was sent.
             * @enum {string}
             */
            state: "pending" | "sending" | "delivered" | "failed" | "skipped";
            type: components["schemas"]["EventType"];
            /** @example wh_5Jd8sPqX4mTzRw9KbNvCfY */
            webhookId: string;
        };
        /**
         * @example {
         *       "deliveryId": "whd_9Gk2hLwR7pXsVt4QzMbNcE",
         *       "eventId": "evt_3Fn6vBxS8rKtJm5WyQzLpD",
         *       "webhookId": "wh_5Jd8sPqX4mTzRw9KbNvCfY",
         *       "invoiceId": "inv_7Yt3kQm9ZxWvB2nRcLsDfH",
         *       "type": "Settled",
         *       "additionalStatus": "None",
         *       "state": "delivered",
         *       "attemptCount": 1,
         *       "httpStatus": 200,
         *       "error": null,
         *       "durationMs": 182,
         *       "createdAt": "2026-03-01T12:14:52.000Z",
         *       "lastAttemptAt": "2026-03-01T12:14:52.130Z",
         *       "attempts": [
         *         {
         *           "number": 1,
         *           "cause": "automatic",
         *           "startedAt": "2026-03-01T12:14:52.130Z",
         *           "durationMs": 182,
         *           "httpStatus": 200,
         *           "error": null,
         *           "responseBody": "ok",
         *           "resolvedIp": "198.51.100.7"
         *         }
         *       ]
         *     }
         */
        DeliveryDetail: {
            additionalStatus: components["schemas"]["AdditionalStatus"];
            attemptCount: number;
            /** @description The last hundred, the oldest first. */
            attempts: components["schemas"]["Attempt"][];
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            createdAt: string;
            /** @example whd_9Gk2hLwR7pXsVt4QzMbNcE */
            deliveryId: string;
            /**
             * @description In milliseconds.
             * @example 182
             */
            durationMs: number | null;
            /**
             * @description A short code such as `timeout` or `http-500`; null when it was delivered.
             * @example null
             */
            error: string | null;
            /**
             * @description The same at every redelivery.
             * @example evt_3Fn6vBxS8rKtJm5WyQzLpD
             */
            eventId: string;
            /**
             * @description The endpoint's status line; null when none came.
             * @example 200
             */
            httpStatus: number | null;
            /** @example inv_7Yt3kQm9ZxWvB2nRcLsDfH */
            invoiceId: string;
            lastAttemptAt: string | null;
            /**
             * @description Skipped: the webhook was disabled or deleted before the delivery was sent.
             * @enum {string}
             */
            state: "pending" | "sending" | "delivered" | "failed" | "skipped";
            type: components["schemas"]["EventType"];
            /** @example wh_5Jd8sPqX4mTzRw9KbNvCfY */
            webhookId: string;
        };
        DeliveryPage: {
            data: components["schemas"]["Delivery"][];
            /**
             * @description Send it as `cursor` to get the next items; null at the end of the list.
             * @example null
             */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "method": "POST",
         *       "url": "https://shop.example/hooks/bitcoin",
         *       "headers": {
         *         "Content-Type": "application/json",
         *         "X-Service-Sig": "sha256=de015f7ab7ef82264ce80d311d0deae55eeaefb146efe0028e3886f7d0a391c4"
         *       },
         *       "body": "{\"type\":\"Settled\",\"invoiceId\":\"inv_8Kq2mVZ5TnYxLr4cWbPdHs9G\",\"metadata\":{\"orderId\":\"A-1001\"},\"additionalStatus\":\"None\"}"
         *     }
         */
        DeliveryRequest: {
            /** @description The exact text that is signed. */
            body: string;
            headers: {
                [key: string]: string;
            };
            /** @constant */
            method: "POST";
            url: string;
        };
        Description: {
            info: {
                version: string;
            } & {
                [key: string]: unknown;
            };
            openapi: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "metadata": {
         *         "parcel": "JD0002",
         *         "cart": null
         *       }
         *     }
         */
        EditInvoice: {
            metadata?: {
                [key: string]: unknown;
            };
            redirectUrl?: string | null;
            /** @description `null` removes the address that was left on the page, so that another can be left. */
            refundAddress?: null;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "seq": "0000000000000042",
         *           "eventId": "evt_3Fn6vBxS8rKtJm5WyQzLpD",
         *           "type": "Settled",
         *           "invoiceId": "inv_7Yt3kQm9ZxWvB2nRcLsDfH",
         *           "metadata": {
         *             "orderId": "A-1001",
         *             "cart": [
         *               "tea"
         *             ]
         *           },
         *           "additionalStatus": "None",
         *           "createdAt": "2026-03-01T12:14:52.000Z"
         *         }
         *       ],
         *       "nextAfter": "0000000000000042"
         *     }
         */
        EventFeed: {
            /** @description Oldest first. */
            data: components["schemas"]["FeedEvent"][];
            /**
             * @description Send it as `after` next time, also when `data` is empty.
             * @example 0000000000000042
             */
            nextAfter: string;
        };
        /**
         * @description An event is called like the status that the invoice took.
         * @example Settled
         * @enum {string}
         */
        EventType: "New" | "Processing" | "Settled" | "Expired" | "Invalid";
        /**
         * @example {
         *       "seq": "0000000000000042",
         *       "eventId": "evt_3Fn6vBxS8rKtJm5WyQzLpD",
         *       "type": "Settled",
         *       "invoiceId": "inv_7Yt3kQm9ZxWvB2nRcLsDfH",
         *       "metadata": {
         *         "orderId": "A-1001",
         *         "cart": [
         *           "tea"
         *         ]
         *       },
         *       "additionalStatus": "None",
         *       "createdAt": "2026-03-01T12:14:52.000Z"
         *     }
         */
        FeedEvent: {
            additionalStatus: components["schemas"]["AdditionalStatus"];
            /**
             * Format: date-time
             * @example 2026-03-01T12:14:52.000Z
             */
            createdAt: string;
            /**
             * @description The `X-Service-Event-Id` of its webhooks.
             * @example evt_3Fn6vBxS8rKtJm5WyQzLpD
             */
            eventId: string;
            /** @example inv_7Yt3kQm9ZxWvB2nRcLsDfH */
            invoiceId: string;
            /** @description As they were when the event was written; null once they are no longer stored. */
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Its position in the feed. It increases, also when compared as text; treat it as opaque otherwise.
             * @example 0000000000000042
             */
            seq: string;
            type: components["schemas"]["EventType"];
        };
        /**
         * @example {
         *       "status": "degraded",
         *       "version": "0.1.0",
         *       "network": "mainnet",
         *       "synchronized": false,
         *       "checks": {
         *         "database": {
         *           "status": "ok"
         *         },
         *         "queue": {
         *           "status": "ok"
         *         },
         *         "bitcoin": {
         *           "status": "degraded",
         *           "reason": "The node is still syncing."
         *         },
         *         "lightning": {
         *           "status": "off"
         *         },
         *         "workers": {
         *           "status": "ok"
         *         }
         *       }
         *     }
         */
        Health: {
            checks: {
                bitcoin: components["schemas"]["HealthCheck"];
                database: components["schemas"]["HealthCheck"];
                lightning: components["schemas"]["HealthCheck"];
                queue: components["schemas"]["HealthCheck"];
                workers: components["schemas"]["HealthCheck"];
            };
            /** @enum {string} */
            network: "mainnet" | "testnet4" | "signet" | "regtest";
            /** @enum {string} */
            status: "ok" | "degraded" | "down";
            /** @description Whether every configured payment method is up to date. */
            synchronized: boolean;
            version: string;
        };
        /**
         * @example {
         *       "status": "ok"
         *     }
         */
        HealthCheck: {
            reason?: string;
            /**
             * @description Off: not configured.
             * @enum {string}
             */
            status: "ok" | "degraded" | "down" | "off";
        };
        /** @description It got the address that it was created without. */
        HistoryActivated: {
            address: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /** @constant */
            kind: "activated";
            /** @enum {string} */
            type: "BTC-CHAIN" | "BTC-LN";
        };
        /** @description It was archived or restored. */
        HistoryArchive: {
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /** @enum {string} */
            kind: "archived" | "unarchived";
        };
        /** @description The invoice was edited by hand. */
        HistoryEdit: {
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /**
             * @example [
             *       "metadata"
             *     ]
             */
            fields: string[];
            /** @constant */
            kind: "edited";
        };
        /** @description An event was written, to be delivered to webhooks. */
        HistoryEvent: {
            additionalStatus: components["schemas"]["AdditionalStatus"];
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /** @example evt_3Fn6vBxS8rKtJm5WyQzLpD */
            eventId: string;
            /** @constant */
            kind: "event";
            type: components["schemas"]["EventType"];
        };
        /**
         * @example {
         *       "at": "2026-03-01T12:14:52.000Z",
         *       "kind": "status",
         *       "status": "Settled",
         *       "additionalStatus": "None",
         *       "reason": "The price is confirmed."
         *     }
         */
        HistoryLine: components["schemas"]["HistoryStatus"] | components["schemas"]["HistoryPayment"] | components["schemas"]["HistoryEvent"] | components["schemas"]["HistoryActivated"] | components["schemas"]["HistoryEdit"] | components["schemas"]["HistoryRefundAddress"] | components["schemas"]["HistoryArchive"];
        HistoryPage: {
            data: components["schemas"]["HistoryLine"][];
            /**
             * @description Send it as `cursor` to get the next items; null at the end of the list.
             * @example null
             */
            nextCursor: string | null;
        };
        /** @description A payment came, or changed. */
        HistoryPayment: {
            /**
             * @description In satoshi.
             * @example 25000
             */
            amountSats: number;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /** @description Too small to count. */
            belowDust: boolean;
            blockHeight?: number;
            /**
             * @description The kind of change.
             * @example confirmed
             */
            change: string;
            /** @description Of a transaction that spends the same coins. */
            conflictTxid?: string;
            /** @constant */
            kind: "payment";
            paymentId: string;
            /** @enum {string} */
            state: "pending" | "confirmed" | "replaced" | "evicted";
            /** @enum {string} */
            type: "BTC-CHAIN" | "BTC-LN";
        };
        /** @description An address for a refund was left on its page. */
        HistoryRefundAddress: {
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /** @constant */
            kind: "refund-address";
        };
        /**
         * @description The invoice took a status.
         * @example {
         *       "at": "2026-03-01T12:14:52.000Z",
         *       "kind": "status",
         *       "status": "Settled",
         *       "additionalStatus": "None",
         *       "reason": "The price is confirmed."
         *     }
         */
        HistoryStatus: {
            additionalStatus: components["schemas"]["AdditionalStatus"];
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /** @constant */
            kind: "status";
            /** @description The note of the user who marked it. */
            note?: string;
            /** @description For people. */
            reason: string;
            status: components["schemas"]["InvoiceStatus"];
        };
        /**
         * @example {
         *       "invoiceId": "inv_7Yt3kQm9ZxWvB2nRcLsDfH",
         *       "storeId": "4wBqpZM9k2mAgN8rTzZy7VdQ3hUuFLcXeJ5sRtGbKoPq",
         *       "status": "New",
         *       "additionalStatus": "None",
         *       "amount": "25000",
         *       "currency": "SATS",
         *       "dueSats": 25000,
         *       "rate": null,
         *       "paidSats": 0,
         *       "confirmedSats": 0,
         *       "remainingSats": 25000,
         *       "metadata": {
         *         "orderId": "A-1001",
         *         "cart": [
         *           "tea"
         *         ]
         *       },
         *       "redirectUrl": "https://shop.example/thanks/{orderId}",
         *       "redirectAutomatically": false,
         *       "description": "Order A-1001",
         *       "checkoutUrl": "https://pay.example/i/inv_7Yt3kQm9ZxWvB2nRcLsDfH",
         *       "createdAt": "2026-03-01T12:00:00.000Z",
         *       "expiresAt": "2026-03-01T12:15:00.000Z",
         *       "monitoringUntil": "2026-03-02T12:15:00.000Z",
         *       "requiredConfirmations": 1,
         *       "paymentTolerance": 0,
         *       "archived": false,
         *       "refundAddress": null,
         *       "refundAddressAt": null,
         *       "paymentMethods": [
         *         {
         *           "type": "BTC-CHAIN",
         *           "destination": "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu",
         *           "paymentUri": "bitcoin:bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu?amount=0.00025",
         *           "amountSats": 25000,
         *           "available": true
         *         },
         *         {
         *           "type": "BTC-LN",
         *           "destination": "lnbc250u1p56g2jqpp59464hxfz5d9qkvqemdmymvth3k3x73pva3c0elwqcs2ay434qyussp5ch50rwec2f4hr5qgsl956c6rcavgtpsgmjsmrtvmzzxwtqe275vsdq5faexgetjypqj6vfsxqcsxqzuycqzzs9qyysgqz8hy2dfevmmgckug524ycamw2hw4mq30cmjz7rkls8azf68qcmk38tqdw29tuu34rmwgwy6x4yqc9nc0t8z8r73hf24g60lv3x9u8xsqh2hgcl",
         *           "paymentUri": "lightning:lnbc250u1p56g2jqpp59464hxfz5d9qkvqemdmymvth3k3x73pva3c0elwqcs2ay434qyussp5ch50rwec2f4hr5qgsl956c6rcavgtpsgmjsmrtvmzzxwtqe275vsdq5faexgetjypqj6vfsxqcsxqzuycqzzs9qyysgqz8hy2dfevmmgckug524ycamw2hw4mq30cmjz7rkls8azf68qcmk38tqdw29tuu34rmwgwy6x4yqc9nc0t8z8r73hf24g60lv3x9u8xsqh2hgcl",
         *           "amountSats": 25000,
         *           "available": true
         *         }
         *       ],
         *       "payments": [],
         *       "paymentsOmitted": 0,
         *       "paymentUri": "bitcoin:bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu?amount=0.00025&lightning=lnbc250u1p56g2jqpp59464hxfz5d9qkvqemdmymvth3k3x73pva3c0elwqcs2ay434qyussp5ch50rwec2f4hr5qgsl956c6rcavgtpsgmjsmrtvmzzxwtqe275vsdq5faexgetjypqj6vfsxqcsxqzuycqzzs9qyysgqz8hy2dfevmmgckug524ycamw2hw4mq30cmjz7rkls8azf68qcmk38tqdw29tuu34rmwgwy6x4yqc9nc0t8z8r73hf24g60lv3x9u8xsqh2hgcl"
         *     }
         */
        Invoice: {
            additionalStatus: components["schemas"]["AdditionalStatus"];
            /**
             * @description The price as it was sent, in `currency`.
             * @example 12.50
             */
            amount: string;
            archived: boolean;
            /** @description The page on which the customer pays. */
            checkoutUrl: string;
            /**
             * @description What of it is confirmed, in satoshi.
             * @example 25000
             */
            confirmedSats: number;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            createdAt: string;
            /**
             * @description `BTC`, `SATS` or an ISO 4217 code.
             * @example EUR
             */
            currency: string;
            description: string | null;
            /**
             * @description The price in satoshi.
             * @example 25000
             */
            dueSats: number;
            /**
             * Format: date-time
             * @example 2026-03-01T12:15:00.000Z
             */
            expiresAt: string;
            /** @example inv_7Yt3kQm9ZxWvB2nRcLsDfH */
            invoiceId: string;
            /** @description As it was sent: keys, their order and values. */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description Until then late payments still change the invoice; a full one does so for ever.
             * @example 2026-03-02T12:15:00.000Z
             */
            monitoringUntil: string;
            /**
             * @description What came in and counts, confirmed or not, in satoshi.
             * @example 25000
             */
            paidSats: number;
            paymentMethods: components["schemas"]["PaymentMethod"][];
            /** @description Oldest first; of more than 100 the largest that count. */
            payments: components["schemas"]["Payment"][];
            /** @description How many more payments there are than `payments` has; 0 as a rule. The sums include them, and the history names each. */
            paymentsOmitted: number;
            /** @description How much less than the price is enough, in per cent. */
            paymentTolerance: number;
            /** @description One URI with every way to pay (BIP 21); null where there is none now. */
            paymentUri: string | null;
            /** @description Null where the price is in bitcoin. */
            rate: components["schemas"]["InvoiceRate"] | null;
            redirectAutomatically: boolean;
            /** @description Where the customer goes afterwards. A visit there proves no payment. */
            redirectUrl: string | null;
            /** @description A Bitcoin address to which money may go back, left by whoever had the link of the page: ask the customer before you send much. Null while there is none. */
            refundAddress: string | null;
            /** @description When it was left. */
            refundAddressAt: string | null;
            /**
             * @description What is still due, in satoshi; 0 once enough came in.
             * @example 25000
             */
            remainingSats: number;
            requiredConfirmations: number;
            status: components["schemas"]["InvoiceStatus"];
            /**
             * @description The store that the key belongs to.
             * @example 4wBqpZM9k2mAgN8rTzZy7VdQ3hUuFLcXeJ5sRtGbKoPq
             */
            storeId: string;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "invoiceId": "inv_7Yt3kQm9ZxWvB2nRcLsDfH",
         *           "storeId": "4wBqpZM9k2mAgN8rTzZy7VdQ3hUuFLcXeJ5sRtGbKoPq",
         *           "status": "New",
         *           "additionalStatus": "None",
         *           "amount": "25000",
         *           "currency": "SATS",
         *           "dueSats": 25000,
         *           "rate": null,
         *           "paidSats": 0,
         *           "confirmedSats": 0,
         *           "remainingSats": 25000,
         *           "metadata": {
         *             "orderId": "A-1001",
         *             "cart": [
         *               "tea"
         *             ]
         *           },
         *           "redirectUrl": "https://shop.example/thanks/{orderId}",
         *           "redirectAutomatically": false,
         *           "description": "Order A-1001",
         *           "checkoutUrl": "https://pay.example/i/inv_7Yt3kQm9ZxWvB2nRcLsDfH",
         *           "createdAt": "2026-03-01T12:00:00.000Z",
         *           "expiresAt": "2026-03-01T12:15:00.000Z",
         *           "monitoringUntil": "2026-03-02T12:15:00.000Z",
         *           "requiredConfirmations": 1,
         *           "paymentTolerance": 0,
         *           "archived": false,
         *           "refundAddress": null,
         *           "refundAddressAt": null,
         *           "paymentMethods": [
         *             {
         *               "type": "BTC-CHAIN",
         *               "destination": "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu",
         *               "paymentUri": "bitcoin:bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu?amount=0.00025",
         *               "amountSats": 25000,
         *               "available": true
         *             },
         *             {
         *               "type": "BTC-LN",
         *               "destination": "lnbc250u1p56g2jqpp59464hxfz5d9qkvqemdmymvth3k3x73pva3c0elwqcs2ay434qyussp5ch50rwec2f4hr5qgsl956c6rcavgtpsgmjsmrtvmzzxwtqe275vsdq5faexgetjypqj6vfsxqcsxqzuycqzzs9qyysgqz8hy2dfevmmgckug524ycamw2hw4mq30cmjz7rkls8azf68qcmk38tqdw29tuu34rmwgwy6x4yqc9nc0t8z8r73hf24g60lv3x9u8xsqh2hgcl",
         *               "paymentUri": "lightning:lnbc250u1p56g2jqpp59464hxfz5d9qkvqemdmymvth3k3x73pva3c0elwqcs2ay434qyussp5ch50rwec2f4hr5qgsl956c6rcavgtpsgmjsmrtvmzzxwtqe275vsdq5faexgetjypqj6vfsxqcsxqzuycqzzs9qyysgqz8hy2dfevmmgckug524ycamw2hw4mq30cmjz7rkls8azf68qcmk38tqdw29tuu34rmwgwy6x4yqc9nc0t8z8r73hf24g60lv3x9u8xsqh2hgcl",
         *               "amountSats": 25000,
         *               "available": true
         *             }
         *           ],
         *           "payments": [],
         *           "paymentsOmitted": 0,
         *           "paymentUri": "bitcoin:bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu?amount=0.00025&lightning=lnbc250u1p56g2jqpp59464hxfz5d9qkvqemdmymvth3k3x73pva3c0elwqcs2ay434qyussp5ch50rwec2f4hr5qgsl956c6rcavgtpsgmjsmrtvmzzxwtqe275vsdq5faexgetjypqj6vfsxqcsxqzuycqzzs9qyysgqz8hy2dfevmmgckug524ycamw2hw4mq30cmjz7rkls8azf68qcmk38tqdw29tuu34rmwgwy6x4yqc9nc0t8z8r73hf24g60lv3x9u8xsqh2hgcl"
         *         }
         *       ]
         *     }
         */
        InvoiceExport: {
            data: components["schemas"]["Invoice"][];
        };
        InvoicePage: {
            data: components["schemas"]["Invoice"][];
            /**
             * @description Send it as `cursor` to get the next items; null at the end of the list.
             * @example null
             */
            nextCursor: string | null;
        };
        /** @description The exchange rate that the invoice was priced by. */
        InvoiceRate: {
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /** @description Who agreed on it. */
            sources: string[];
            /** @description The store's spread in per cent, already taken off `value`. */
            spread: number;
            /**
             * @description What one bitcoin costs in the invoice's currency.
             * @example 98123.45
             */
            value: string;
        };
        /**
         * @description Release the order at Settled, and not before.
         * @example New
         * @enum {string}
         */
        InvoiceStatus: "New" | "Processing" | "Settled" | "Expired" | "Invalid";
        /**
         * @example {
         *       "status": "ok"
         *     }
         */
        Live: {
            /** @constant */
            status: "ok";
        };
        /**
         * @example {
         *       "status": "Settled",
         *       "note": "Paid in cash."
         *     }
         */
        MarkInvoice: {
            note?: string;
            /** @enum {string} */
            status: "Settled" | "Invalid";
        };
        /**
         * @description One output or one Lightning payment to an invoice.
         * @example {
         *       "id": "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16:0",
         *       "type": "BTC-CHAIN",
         *       "amountSats": 25000,
         *       "state": "confirmed",
         *       "firstSeenAt": "2026-03-01T12:03:10.000Z",
         *       "confirmedAt": "2026-03-01T12:14:52.000Z",
         *       "late": false,
         *       "txid": "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16",
         *       "vout": 0,
         *       "confirmations": 1,
         *       "blockHeight": 939000
         *     }
         */
        Payment: {
            /**
             * @description In satoshi.
             * @example 25000
             */
            amountSats: number;
            blockHeight?: number | null;
            confirmations?: number;
            confirmedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            firstSeenAt: string;
            /** @description `txid:vout`, or the payment hash. */
            id: string;
            /** @description First seen after the invoice expired. */
            late: boolean;
            paymentHash?: string;
            /** @description The payer's proof of payment. */
            preimage?: string;
            /** @description Of the transaction that took its place. */
            replacedByTxid?: string;
            /**
             * @description Replaced and evicted ones do not count.
             * @enum {string}
             */
            state: "pending" | "confirmed" | "replaced" | "evicted";
            txid?: string;
            /** @enum {string} */
            type: "BTC-CHAIN" | "BTC-LN";
            vout?: number;
        };
        /**
         * @description A way to pay an invoice.
         * @example {
         *       "type": "BTC-CHAIN",
         *       "destination": "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu",
         *       "paymentUri": "bitcoin:bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu?amount=0.00025",
         *       "amountSats": 25000,
         *       "available": true
         *     }
         * @example {
         *       "type": "BTC-LN",
         *       "destination": "lnbc250u1p56g2jqpp59464hxfz5d9qkvqemdmymvth3k3x73pva3c0elwqcs2ay434qyussp5ch50rwec2f4hr5qgsl956c6rcavgtpsgmjsmrtvmzzxwtqe275vsdq5faexgetjypqj6vfsxqcsxqzuycqzzs9qyysgqz8hy2dfevmmgckug524ycamw2hw4mq30cmjz7rkls8azf68qcmk38tqdw29tuu34rmwgwy6x4yqc9nc0t8z8r73hf24g60lv3x9u8xsqh2hgcl",
         *       "paymentUri": "lightning:lnbc250u1p56g2jqpp59464hxfz5d9qkvqemdmymvth3k3x73pva3c0elwqcs2ay434qyussp5ch50rwec2f4hr5qgsl956c6rcavgtpsgmjsmrtvmzzxwtqe275vsdq5faexgetjypqj6vfsxqcsxqzuycqzzs9qyysgqz8hy2dfevmmgckug524ycamw2hw4mq30cmjz7rkls8azf68qcmk38tqdw29tuu34rmwgwy6x4yqc9nc0t8z8r73hf24g60lv3x9u8xsqh2hgcl",
         *       "amountSats": 25000,
         *       "available": true
         *     }
         */
        PaymentMethod: {
            /**
             * @description What is still due, in satoshi.
             * @example 25000
             */
            amountSats: number;
            /** @description Whether it can be paid in this way now. */
            available: boolean;
            /** @description Address or BOLT11 invoice; null while there is none. */
            destination: string | null;
            /** @description What a wallet opens. */
            paymentUri: string | null;
            /**
             * @description Why it has no destination and is not available. `not-activated`: the store takes addresses late (`lazyAddresses`), and nobody has opened the page or asked for this one. `being-issued`: a BOLT11 over what is due now is on its way. `node-unavailable`: the Lightning node did not answer; the BOLT11 comes as soon as it is back. `exceeds-receivable`: what is due is more than the Lightning node's channels can receive now. `no-longer-payable`: nothing is due in this way any more. `not-authentic`: what the database has is not what this service stored there; the operator is alerted.
             * @enum {string}
             */
            reason?: "not-activated" | "being-issued" | "node-unavailable" | "exceeds-receivable" | "no-longer-payable" | "not-authentic";
            /** @enum {string} */
            type: "BTC-CHAIN" | "BTC-LN";
        };
        /**
         * @example {
         *       "descriptor": "wpkh(xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V)",
         *       "count": 2
         *     }
         */
        PreviewWallet: {
            /** @default 10 */
            count?: number;
            descriptor?: string;
            /** @enum {string} */
            scriptType?: "wpkh" | "tr" | "sh-wpkh" | "pkh";
            /** @description Index of the first address to give out, at most 10,000 above the highest that the wallet has given out. It only ever raises the next index. */
            startIndex?: number;
            xpub?: string;
        };
        /** @description Problem details (RFC 9457). */
        Problem: {
            /**
             * @description What kind of problem it is, for programs. It does not change.
             * @enum {string}
             */
            code: "malformed-request" | "unauthenticated" | "invalid-credentials" | "store-mismatch" | "admin-only" | "dashboard-only" | "role-insufficient" | "reauthentication-needed" | "second-factor-needed" | "cross-site-request" | "route-not-found" | "store-not-found" | "invoice-not-found" | "webhook-not-found" | "delivery-not-found" | "api-key-not-found" | "payment-method-not-found" | "alert-not-found" | "user-not-found" | "session-not-found" | "passkey-not-found" | "invitation-not-found" | "link-not-found" | "method-not-allowed" | "idempotency-conflict" | "invalid-transition" | "delivery-in-progress" | "pruned" | "wallet-in-use" | "last-owner" | "limit-reached" | "already-enabled" | "body-too-large" | "unsupported-media-type" | "validation-failed" | "rate-limited" | "rate-unavailable" | "payment-method-unavailable" | "unavailable" | "internal-error";
            /** @description What is wrong and how to fix it, for people. */
            detail: string;
            /** @description Of 422: every field that is wrong. */
            errors?: {
                message: string;
                /** @description Which field or parameter (RFC 6901); empty for the whole. */
                pointer: string;
            }[];
            /** @description Also in the header X-Request-Id and in the log. */
            requestId: string;
            status: number;
            /** @description What kind of problem it is, for people. */
            title: string;
            /** @description A URN that ends in the code. */
            type: string;
        };
        /**
         * @example {
         *       "currency": "USD",
         *       "rate": "98123.45",
         *       "sources": [
         *         "kraken",
         *         "coinbase",
         *         "bitstamp",
         *         "bitfinex"
         *       ],
         *       "ageSeconds": 12
         *     }
         */
        Rate: {
            /** @description How old the oldest of their prices is; at most 300. */
            ageSeconds: number;
            currency: string;
            /** @description The price of one bitcoin for an invoice created now, less the store's spread. */
            rate: string;
            /** @description Who agreed on it. */
            sources: string[];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "currency": "USD",
         *           "rate": "98123.45",
         *           "sources": [
         *             "kraken",
         *             "coinbase",
         *             "bitstamp",
         *             "bitfinex"
         *           ],
         *           "ageSeconds": 12
         *         }
         *       ]
         *     }
         */
        Rates: {
            data: components["schemas"]["Rate"][];
        };
        /**
         * @example {
         *       "count": 3
         *     }
         */
        RedeliverMany: {
            /** @description How many will be sent again. */
            count: number;
        };
        /**
         * @example {
         *       "state": "failed",
         *       "since": "2026-03-01T00:00:00Z"
         *     }
         */
        RedeliverManyFilter: {
            invoiceId?: string;
            /** Format: date-time */
            since?: string;
            /** @enum {string} */
            state?: "pending" | "sending" | "delivered" | "failed" | "skipped";
            /** @enum {string} */
            type?: "New" | "Processing" | "Settled" | "Expired" | "Invalid";
            /** Format: date-time */
            until?: string;
        };
        /**
         * @example {
         *       "overlapSeconds": 3600
         *     }
         */
        RotateWebhookSecret: {
            /** @default 86400 */
            overlapSeconds?: number;
        };
        /**
         * @example {
         *       "version": "1.0.0",
         *       "network": "mainnet",
         *       "paymentMethods": [
         *         "BTC-CHAIN"
         *       ],
         *       "rails": [
         *         {
         *           "type": "BTC-CHAIN",
         *           "synchronized": true,
         *           "nodeHeight": 939000,
         *           "height": 939000,
         *           "lagBlocks": 0,
         *           "lagSeconds": 3,
         *           "problem": null
         *         }
         *       ]
         *     }
         */
        ServerInfo: {
            /** @enum {string} */
            network: "mainnet" | "testnet4" | "signet" | "regtest";
            /** @description The payment methods of this server. A store offers those that are set up for it. */
            paymentMethods: ("BTC-CHAIN" | "BTC-LN")[];
            rails: components["schemas"]["ServerRail"][];
            version: string;
        };
        /**
         * @example {
         *       "type": "BTC-CHAIN",
         *       "synchronized": true,
         *       "nodeHeight": 939000,
         *       "height": 939000,
         *       "lagBlocks": 0,
         *       "lagSeconds": 3,
         *       "problem": null
         *     }
         */
        ServerRail: {
            /** @description The last block that was scanned for payments. */
            height: number | null;
            /** @description Blocks that are still to be scanned. */
            lagBlocks: number | null;
            /** @description Age of the last complete check of the node. */
            lagSeconds: number | null;
            /** @description The node's last block. */
            nodeHeight: number | null;
            /** @description What is wrong, in words. */
            problem: string | null;
            /** @description Whether the node knows the whole chain. */
            synchronized: boolean;
            /** @enum {string} */
            type: "BTC-CHAIN" | "BTC-LN";
        };
        /**
         * @example {
         *       "storeId": "4wBqpZM9k2mAgN8rTzZy7VdQ3hUuFLcXeJ5sRtGbKoPq",
         *       "name": "Tea shop",
         *       "website": "https://shop.example",
         *       "supportUrl": "mailto:help@shop.example",
         *       "defaultCurrency": "EUR",
         *       "expiresInSeconds": 900,
         *       "monitoringSeconds": 86400,
         *       "paymentTolerance": 0,
         *       "requiredConfirmations": 1,
         *       "confirmationTiers": [
         *         {
         *           "aboveSats": 10000000,
         *           "confirmations": 3
         *         }
         *       ],
         *       "zeroConfMaxSats": null,
         *       "redirectAutomatically": false,
         *       "privateRouteHints": false,
         *       "lazyAddresses": false,
         *       "rateSpread": 0.5,
         *       "rateSources": null,
         *       "branding": {
         *         "logoUrl": "https://shop.example/logo.svg",
         *         "color": "#f7931a"
         *       },
         *       "checkoutOrigins": [
         *         "https://shop.example"
         *       ],
         *       "walletChangesByKey": false,
         *       "archived": false,
         *       "createdAt": "2026-02-01T09:00:00.000Z"
         *     }
         */
        Store: {
            archived: boolean;
            branding: {
                /** @example #f7931a */
                color: string | null;
                logoUrl: string | null;
            };
            /**
             * @description Websites whose pages may show the checkout in a frame, as `modal.js` does: exact origins, https on mainnet.
             * @example [
             *       "https://shop.example"
             *     ]
             */
            checkoutOrigins: string[];
            /** @description The highest tier that a price exceeds decides. */
            confirmationTiers: {
                /**
                 * @description An invoice over more than this, in satoshi, needs `confirmations`.
                 * @example 10000000
                 */
                aboveSats: number;
                confirmations: number;
            }[];
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            createdAt: string;
            /** @description Of invoices that name none. */
            defaultCurrency: string;
            expiresInSeconds: number;
            /** @description An invoice takes its on-chain address when its page is first opened, or when the address is asked for by `activateOnchain`; one that nobody opens takes none. False: at creation. */
            lazyAddresses: boolean;
            /** @description How long after its expiry an invoice is still changed by late payments. */
            monitoringSeconds: number;
            name: string;
            /** @description How much less than the price is enough, in per cent. */
            paymentTolerance: number;
            /** @description BOLT11s name private channels of the Lightning node: for one that has no public channel. */
            privateRouteHints: boolean;
            /** @description Null: all that the server asks. */
            rateSources: string[] | null;
            /** @description Taken off the exchange rate, in per cent: the customer pays that much more. */
            rateSpread: number;
            redirectAutomatically: boolean;
            requiredConfirmations: number;
            /**
             * @description The store that the key belongs to.
             * @example 4wBqpZM9k2mAgN8rTzZy7VdQ3hUuFLcXeJ5sRtGbKoPq
             */
            storeId: string;
            /** @description Where customers find help. */
            supportUrl: string | null;
            /** @description API keys may replace and remove the store's wallet and move its `startIndex`. Only the dashboard changes it. */
            walletChangesByKey: boolean;
            website: string | null;
            zeroConfMaxSats: number | null;
        };
        /**
         * @example {
         *       "type": "BTC-LN",
         *       "createdAt": "2026-02-01T09:00:00.000Z"
         *     }
         */
        StoreLightning: {
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            createdAt: string;
            /** @constant */
            type: "BTC-LN";
        };
        /**
         * @example {
         *       "type": "BTC-CHAIN",
         *       "scriptType": "wpkh",
         *       "fingerprint": "7ef32bdb",
         *       "available": true,
         *       "nextIndex": 12,
         *       "highestPaidIndex": 8,
         *       "unpaidInARow": 3,
         *       "createdAt": "2026-02-01T09:00:00.000Z"
         *     }
         */
        StorePaymentMethod: components["schemas"]["StoreWallet"] | components["schemas"]["StoreLightning"];
        /**
         * @example {
         *       "data": [
         *         {
         *           "type": "BTC-CHAIN",
         *           "scriptType": "wpkh",
         *           "fingerprint": "7ef32bdb",
         *           "available": true,
         *           "nextIndex": 12,
         *           "highestPaidIndex": 8,
         *           "unpaidInARow": 3,
         *           "createdAt": "2026-02-01T09:00:00.000Z"
         *         }
         *       ],
         *       "nextCursor": null
         *     }
         */
        StorePaymentMethods: {
            data: components["schemas"]["StorePaymentMethod"][];
            nextCursor: null;
        };
        /**
         * @example {
         *       "type": "BTC-CHAIN",
         *       "scriptType": "wpkh",
         *       "fingerprint": "7ef32bdb",
         *       "available": true,
         *       "nextIndex": 12,
         *       "highestPaidIndex": 8,
         *       "unpaidInARow": 3,
         *       "createdAt": "2026-02-01T09:00:00.000Z"
         *     }
         */
        StoreWallet: {
            /** @description Whether new invoices get addresses of it. */
            available: boolean;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            createdAt: string;
            /** @description Of the account key (BIP 32). The key itself is not shown. Null while not `available`. */
            fingerprint: string | null;
            /** @description Of the last address that was paid; null where none of the last 10,000 was. */
            highestPaidIndex: number | null;
            /** @description Of the next address. Stores with the same key share it. */
            nextIndex: number;
            /**
             * @description Why it is not available: the wallet in the database is not the one that was set here. Set it again, and find out who writes to the database.
             * @constant
             */
            reason?: "not-authentic";
            /**
             * @description What kind of addresses the key gives.
             * @example wpkh
             * @enum {string}
             */
            scriptType: "wpkh" | "tr" | "sh-wpkh" | "pkh";
            /** @constant */
            type: "BTC-CHAIN";
            /** @description Addresses that were given out after it and not paid. A wallet that is restored looks 20 ahead by default (its gap limit): where this is more, raise that, or it may not show a payment to the last ones. */
            unpaidInARow: number;
        };
        /**
         * @example {
         *       "type": "Settled"
         *     }
         */
        TestWebhook: {
            /**
             * @default New
             * @enum {string}
             */
            type?: "New" | "Processing" | "Settled" | "Expired" | "Invalid";
        };
        /**
         * @example {
         *       "scriptType": "wpkh",
         *       "addresses": [
         *         {
         *           "index": 0,
         *           "path": "0/0",
         *           "address": "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"
         *         }
         *       ]
         *     }
         */
        WalletPreview: {
            addresses: {
                address: string;
                index: number;
                /**
                 * @description From the account key.
                 * @example 0/0
                 */
                path: string;
            }[];
            /**
             * @description What kind of addresses the key gives.
             * @example wpkh
             * @enum {string}
             */
            scriptType: "wpkh" | "tr" | "sh-wpkh" | "pkh";
        };
        /**
         * @example {
         *       "webhookId": "wh_5Jd8sPqX4mTzRw9KbNvCfY",
         *       "url": "https://shop.example/hooks/bitcoin",
         *       "events": [
         *         "Settled",
         *         "Expired"
         *       ],
         *       "enabled": true,
         *       "failureStreak": 0,
         *       "createdAt": "2026-03-01T09:00:00.000Z",
         *       "createdByUserId": "usr_9kQm3ZtXw5RbVcYdEfGhJn",
         *       "createdByEmail": null
         *     }
         */
        Webhook: {
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            createdAt: string;
            /** @description That user's address, for owners in the dashboard; null by key. */
            createdByEmail: string | null;
            /** @description The user who made it, or the key that did; null for the command line. */
            createdByUserId: string | null;
            enabled: boolean;
            /** @description The events that it receives. */
            events: components["schemas"]["EventType"][];
            /** @description How many deliveries failed in a row. */
            failureStreak: number;
            /** @description Viewers in the dashboard see its origin and `/…`: the path may be a secret. */
            url: string;
            /** @example wh_5Jd8sPqX4mTzRw9KbNvCfY */
            webhookId: string;
        };
        /**
         * @example {
         *       "type": "Settled",
         *       "invoiceId": "inv_7Yt3kQm9ZxWvB2nRcLsDfH",
         *       "metadata": {
         *         "orderId": "A-1001",
         *         "cart": [
         *           "tea"
         *         ]
         *       },
         *       "additionalStatus": "None"
         *     }
         */
        WebhookEvent: {
            additionalStatus: components["schemas"]["AdditionalStatus"];
            /**
             * @description The invoice's id.
             * @example inv_7Yt3kQm9ZxWvB2nRcLsDfH
             */
            invoiceId: string;
            /** @description The invoice's metadata when the event was written. `orderId` is always in it. */
            metadata: {
                [key: string]: unknown;
            };
            type: components["schemas"]["EventType"];
        };
        WebhookPage: {
            data: components["schemas"]["Webhook"][];
            /**
             * @description Send it as `cursor` to get the next items; null at the end of the list.
             * @example null
             */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "webhookId": "wh_5Jd8sPqX4mTzRw9KbNvCfY",
         *       "url": "https://shop.example/hooks/bitcoin",
         *       "events": [
         *         "Settled",
         *         "Expired"
         *       ],
         *       "enabled": true,
         *       "failureStreak": 0,
         *       "createdAt": "2026-03-01T09:00:00.000Z",
         *       "createdByUserId": "usr_9kQm3ZtXw5RbVcYdEfGhJn",
         *       "createdByEmail": null,
         *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwNrUlMDlWq8I="
         *     }
         */
        WebhookWithSecret: {
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            createdAt: string;
            /** @description That user's address, for owners in the dashboard; null by key. */
            createdByEmail: string | null;
            /** @description The user who made it, or the key that did; null for the command line. */
            createdByUserId: string | null;
            enabled: boolean;
            /** @description The events that it receives. */
            events: components["schemas"]["EventType"][];
            /** @description How many deliveries failed in a row. */
            failureStreak: number;
            /** @description Checks signatures. It is shown in this answer and never again. */
            secret: string;
            /** @description Viewers in the dashboard see its origin and `/…`: the path may be a secret. */
            url: string;
            /** @example wh_5Jd8sPqX4mTzRw9KbNvCfY */
            webhookId: string;
        };
    };
    responses: {
        /** @description `api-key-not-found`: API key not found. */
        ApiKeyNotFound: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `body-too-large`: The body is too large. */
        BodyTooLarge: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `delivery-in-progress`: The delivery is in progress. */
        DeliveryInProgress: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `idempotency-conflict`: The idempotency key was used for another request. */
        IdempotencyConflict: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `internal-error`: Internal error. */
        InternalError: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid-transition`: The invoice's status does not allow this. */
        InvalidTransition: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invoice-not-found`: Invoice not found. */
        InvoiceNotFound: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `limit-reached`: Limit reached. */
        LimitReached: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `malformed-request`: Malformed request. */
        MalformedRequest: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `payment-method-not-found`: Payment method not found. */
        PaymentMethodNotFound: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `pruned`: The body is no longer stored. */
        Pruned: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `rate-limited`: Too many requests. */
        RateLimited: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `store-mismatch`: No access to this store. */
        StoreMismatch: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unauthenticated`: Authentication required. */
        Unauthenticated: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unavailable`: Service unavailable. */
        Unavailable: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unsupported-media-type`: Unsupported media type. */
        UnsupportedMediaType: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `validation-failed`: Validation failed. */
        ValidationFailed: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `wallet-in-use`: Another store uses this wallet. */
        WalletInUse: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `webhook-not-found`: Webhook not found. */
        WebhookNotFound: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description There when the answer is that of an earlier request with the same key. */
        IdempotencyReplayed: "true";
        /** @description How many requests are left (`r`), and in how many seconds there are more (`t`). */
        RateLimit: string;
        /** @description How many requests (`q`) are allowed in how many seconds (`w`). */
        RateLimitPolicy: string;
        /** @description Names the request in the log. */
        RequestId: string;
        /** @description When to try again, in seconds. */
        RetryAfter: number;
        /** @description How to authenticate. */
        WwwAuthenticate: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description The same, when it is not healthy. */
            503: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    readLive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Live"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
        };
    };
    readDescription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Description"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    readServerInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerInfo"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    readStore: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Store"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeStore: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeStore"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Store"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAlerts: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the previous response. */
                cursor?: string;
                /** @description The most items to return; 50 by default. A response of large items ends after 2 MiB: go by `nextCursor`, not by the number of items. */
                limit?: number;
                state?: "open" | "resolved";
            };
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertPage"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the previous response. */
                cursor?: string;
                /** @description The most items to return; 50 by default. A response of large items ends after 2 MiB: go by `nextCursor`, not by the number of items. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKey"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyWithText"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            409: components["responses"]["LimitReached"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                keyId: string;
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["ApiKeyNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    readCurrentApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["ApiKeyNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    readEvents: {
        parameters: {
            query?: {
                /** @description Return events after this one; from the beginning if omitted. */
                after?: string;
                /** @description The most items to return; 50 by default. A response of large items ends after 2 MiB: go by `nextCursor`, not by the number of items. */
                limit?: number;
                /** @description How many seconds to wait for an event if there is none. */
                wait?: number;
            };
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventFeed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listInvoices: {
        parameters: {
            query?: {
                additionalStatus?: ("None" | "Underpaid" | "Overpaid" | "PaidAfterExpiration")[];
                archived?: "true" | "false";
                createdFrom?: string;
                createdTo?: string;
                /** @description The `nextCursor` of the previous response. */
                cursor?: string;
                /** @description The most items to return; 50 by default. A response of large items ends after 2 MiB: go by `nextCursor`, not by the number of items. */
                limit?: number;
                orderId?: string;
                q?: string;
                status?: ("New" | "Processing" | "Settled" | "Expired" | "Invalid")[];
            };
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvoicePage"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createInvoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your choice, one for each thing that is to be done once. For 24 hours the same key and body get the first answer again, with Idempotency-Replayed; another body gets `idempotency-conflict`. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateInvoice"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description `unavailable`: Service unavailable.
             *
             *     `rate-unavailable`: No exchange rate available.
             *
             *     `payment-method-unavailable`: No payment method available.
             */
            503: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invoiceId: string;
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["InvoiceNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    editInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invoiceId: string;
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EditInvoice"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["InvoiceNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    archiveInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invoiceId: string;
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["InvoiceNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    checkInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invoiceId: string;
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["InvoiceNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    eraseInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invoiceId: string;
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["InvoiceNotFound"];
            409: components["responses"]["DeliveryInProgress"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listInvoiceHistory: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the previous response. */
                cursor?: string;
                /** @description The most items to return; 50 by default. A response of large items ends after 2 MiB: go by `nextCursor`, not by the number of items. */
                limit?: number;
            };
            header?: never;
            path: {
                invoiceId: string;
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryPage"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["InvoiceNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    activateOnchain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invoiceId: string;
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            /**
             * @description `invoice-not-found`: Invoice not found.
             *
             *     `payment-method-not-found`: Payment method not found.
             */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: components["responses"]["InvalidTransition"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description `unavailable`: Service unavailable.
             *
             *     `payment-method-unavailable`: No payment method available.
             */
            503: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    markInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invoiceId: string;
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MarkInvoice"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["InvoiceNotFound"];
            409: components["responses"]["InvalidTransition"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    unarchiveInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invoiceId: string;
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["InvoiceNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    exportInvoices: {
        parameters: {
            query?: {
                additionalStatus?: ("None" | "Underpaid" | "Overpaid" | "PaidAfterExpiration")[];
                archived?: "true" | "false";
                createdFrom?: string;
                createdTo?: string;
                format?: "csv" | "json";
                orderId?: string;
                q?: string;
                status?: ("New" | "Processing" | "Settled" | "Expired" | "Invalid")[];
            };
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvoiceExport"];
                    "text/csv": string;
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPaymentMethods: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorePaymentMethods"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    readWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreWallet"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["PaymentMethodNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeWallet"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreWallet"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `store-mismatch`: No access to this store.
             *
             *     `dashboard-only`: Only available in the dashboard.
             */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: components["responses"]["WalletInUse"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `store-mismatch`: No access to this store.
             *
             *     `dashboard-only`: Only available in the dashboard.
             */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["PaymentMethodNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    previewWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewWallet"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletPreview"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    readLightning: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorePaymentMethod"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["PaymentMethodNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    switchLightningOn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorePaymentMethod"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `store-mismatch`: No access to this store.
             *
             *     `admin-only`: Server admins only.
             */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    switchLightningOff: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `store-mismatch`: No access to this store.
             *
             *     `admin-only`: Server admins only.
             */
            403: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    readRates: {
        parameters: {
            query: {
                /** @description 1 to 10 ISO 4217 codes separated by commas. */
                currencies: string;
            };
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rates"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description `unavailable`: Service unavailable.
             *
             *     `rate-unavailable`: No exchange rate available.
             */
            503: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the previous response. */
                cursor?: string;
                /** @description The most items to return; 50 by default. A response of large items ends after 2 MiB: go by `nextCursor`, not by the number of items. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            409: components["responses"]["LimitReached"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    readWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["WebhookNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["WebhookNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeWebhook"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["WebhookNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the previous response. */
                cursor?: string;
                invoiceId?: string;
                /** @description The most items to return; 50 by default. A response of large items ends after 2 MiB: go by `nextCursor`, not by the number of items. */
                limit?: number;
                since?: string;
                state?: "pending" | "sending" | "delivered" | "failed" | "skipped";
                type?: "New" | "Processing" | "Settled" | "Expired" | "Invalid";
                until?: string;
            };
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["WebhookNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    readDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deliveryId: string;
                /** @description The store that the key belongs to. */
                storeId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            /**
             * @description `webhook-not-found`: Webhook not found.
             *
             *     `delivery-not-found`: Delivery not found.
             */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    redeliver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deliveryId: string;
                /** @description The store that the key belongs to. */
                storeId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Accepted: it will be done. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            /**
             * @description `webhook-not-found`: Webhook not found.
             *
             *     `delivery-not-found`: Delivery not found.
             */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `delivery-in-progress`: The delivery is in progress.
             *
             *     `pruned`: The body is no longer stored.
             */
            409: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    readDeliveryRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deliveryId: string;
                /** @description The store that the key belongs to. */
                storeId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryRequest"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            /**
             * @description `webhook-not-found`: Webhook not found.
             *
             *     `delivery-not-found`: Delivery not found.
             */
            404: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: components["responses"]["Pruned"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    redeliverMany: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RedeliverManyFilter"];
            };
        };
        responses: {
            /** @description Accepted: it will be done. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedeliverMany"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["WebhookNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateWebhookSecret"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["WebhookNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The store that the key belongs to. */
                storeId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TestWebhook"];
            };
        };
        responses: {
            /** @description Accepted: it will be done. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["StoreMismatch"];
            404: components["responses"]["WebhookNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    invoiceEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id (Standard Webhooks). */
                "webhook-id": string;
                /** @description `v1,` and the base64 HMAC-SHA256 of `webhook-id.webhook-timestamp.body`. The key is the base64 behind `whsec_`, decoded. While a secret is rotated there are two signatures with a space between them; one that fits is enough (Standard Webhooks). */
                "webhook-signature": string;
                /** @description The Unix time of this attempt in seconds. Refuse old ones (Standard Webhooks). */
                "webhook-timestamp": string;
                /** @description 1 for the automatic attempt, one more for each redelivery. */
                "x-service-attempt": string;
                /** @description The id of this event's delivery to this webhook, as in the API. */
                "x-service-delivery-id": string;
                /** @description The event's id, the same at every redelivery. An order can have two events: skip what is marked as paid. */
                "x-service-event-id": string;
                /** @description `sha256=` and the hex HMAC-SHA256 of the body's bytes. The key is the secret's whole text, `whsec_` included. */
                "x-service-sig": string;
                /** @description The store's id. */
                "x-service-store-id": string;
                /** @description `true`, on test events only. */
                "x-service-test"?: "true";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEvent"];
            };
        };
        responses: {
            /** @description The event was received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
