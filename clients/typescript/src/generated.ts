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
         * Read the service's health
         * @description The response is 503 only while the database is unavailable; with any other problem it is 200 with `degraded`.
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
        /** Read whether the process is running, without checking its dependencies */
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
        /**
         * Read this description (OpenAPI 3.1); /openapi.json serves it without a key
         * @description Access of the API key: `full`, `create-and-read-invoices`, `read`.
         */
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
        /**
         * Read the server's version, payment methods and node state
         * @description Access of the API key: `full`, `create-and-read-invoices`, `read`.
         */
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
        /**
         * Read the store's settings
         * @description Access of the API key: `full`, `read`.
         */
        get: operations["readStore"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the store's settings
         * @description Fields that are left out keep their values; `null` clears a value. Changes apply to invoices created from now on.
         *
         *     Access of the API key: `full`.
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
        /**
         * List the store's alerts, newest first
         * @description Access of the API key: `full`, `read`.
         */
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
        /**
         * List API keys, newest first, including expired ones
         * @description Access of the API key: `full`.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key; it is shown once
         * @description A key has full access to its store unless `access` says less. A key that was created by another key is deleted with that key and expires no later.
         *
         *     Access of the API key: `full`.
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
        /**
         * Delete an API key and the keys created with it
         * @description Webhooks stay by default, since a shop needs its webhook when its key is replaced. With `webhooks=delete` those are deleted too whose present URL was set by one of these keys: use it for a key that was stolen.
         *
         *     Access of the API key: `full`.
         */
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
        /**
         * Read the API key of this request
         * @description Access of the API key: `full`, `create-and-read-invoices`, `read`.
         */
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
         * Read the store's events in order, or wait for new ones
         * @description All events of the store's invoices, oldest first, whether or not a webhook is registered. New events are only ever appended: pass `nextAfter` as `after` in the next request, and you neither miss an event nor read one twice. With `wait`, an empty response is returned only after that many seconds (at most one second earlier). Test events are not included. A response ends after 2 MiB, whatever `limit` is: continue with `nextAfter`.
         *
         *     Access of the API key: `full`, `create-and-read-invoices`, `read`.
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
        /**
         * List invoices, newest first
         * @description Access of the API key: `full`, `create-and-read-invoices`, `read`.
         */
        get: operations["listInvoices"];
        put?: never;
        /**
         * Create an invoice
         * @description Access of the API key: `full`, `create-and-read-invoices`.
         */
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
        /**
         * Read an invoice
         * @description Access of the API key: `full`, `create-and-read-invoices`, `read`.
         */
        get: operations["readInvoice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an invoice's metadata and redirect URL, or clear its refund address
         * @description The fields of `metadata` are merged into the invoice's metadata; `null` removes a field, and all other fields stay exactly as they were sent. `orderId` cannot be changed. `refundAddress: null` lets the customer leave another address. Events that already exist keep their metadata.
         *
         *     Access of the API key: `full`.
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
        /**
         * Archive an invoice; payments to it are still detected
         * @description Access of the API key: `full`.
         */
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
        /**
         * Check an invoice for payments now and update its status
         * @description Access of the API key: `full`, `create-and-read-invoices`.
         */
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
         * @description Permanently erases `metadata` except `orderId`, `description`, `redirectUrl`, `refundAddress`, notes, the bodies of its events, which can then no longer be redelivered (`pruned`), and receivers' responses. Amounts, payments and status remain, and the invoice continues; later events have only `orderId` in their metadata. Refused with `delivery-in-progress` while one of its webhooks has yet to be sent. The response stored for an `Idempotency-Key` is deleted within 24 hours of the creation.
         *
         *     Access of the API key: `full`.
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
         * @description The invoice's status changes with their reasons, its payments, the events created for webhooks, and edits by hand.
         *
         *     Access of the API key: `full`, `create-and-read-invoices`, `read`.
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
         * @description An invoice of a store with `lazyAddresses` has no address (`not-activated`) until its checkout is first opened or this endpoint is called. The call changes nothing if the invoice already has an address. An invoice that is no longer open gets none (`invalid-transition`). `payment-method-unavailable`: the store has no wallet at present, or the price is too small to be paid to one of its addresses.
         *
         *     Access of the API key: `full`, `create-and-read-invoices`.
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
        /**
         * Mark an invoice as settled or invalid by hand
         * @description Access of the API key: `full`.
         */
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
        /**
         * Restore an archived invoice
         * @description Access of the API key: `full`.
         */
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
         * @description Returns all matching invoices, however many: the response is streamed. If the export fails midway, the connection closes before the body is complete.
         *
         *     `csv` has one line for each invoice (RFC 4180, with a header line, every cell quoted). The payment columns have one value for each payment, each separated by one space and in the same order, and nothing for a time that is not known yet. A text that a spreadsheet would take for a formula is prefixed with an apostrophe. Metadata is only in `json`.
         *
         *     A store can run two exports at a time; a third is refused with `rate-limited`. An export of which nothing is read for 40 s is disconnected.
         *
         *     Access of the API key: `full`, `create-and-read-invoices`, `read`.
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
    "/stores/{storeId}/payment-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payment links, newest first
         * @description Access of the API key: `full`, `read`.
         */
        get: operations["listPaymentLinks"];
        put?: never;
        /**
         * Create a payment link
         * @description Access of the API key: `full`.
         */
        post: operations["createPaymentLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/payment-links/{linkId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a payment link
         * @description Access of the API key: `full`, `read`.
         */
        get: operations["readPaymentLink"];
        put?: never;
        post?: never;
        /**
         * Delete a payment link; its invoices stay
         * @description Access of the API key: `full`.
         */
        delete: operations["deletePaymentLink"];
        options?: never;
        head?: never;
        /**
         * Change a payment link
         * @description For invoices that are created from now on. Fields that are left out keep their values. To change from fixed amounts to the customer's own, send `amounts: null` with both bounds; the other way, both bounds as `null` with `amounts`.
         *
         *     Access of the API key: `full`.
         */
        patch: operations["changePaymentLink"];
        trace?: never;
    };
    "/stores/{storeId}/payment-links/{linkId}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive a payment link: its page takes no payments
         * @description Access of the API key: `full`.
         */
        post: operations["archivePaymentLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/payment-links/{linkId}/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore an archived payment link
         * @description Access of the API key: `full`.
         */
        post: operations["unarchivePaymentLink"];
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
        /**
         * List the store's payment methods
         * @description Access of the API key: `full`, `read`.
         */
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
        /**
         * Read the store's wallet; the key itself is not shown, only its fingerprint
         * @description Access of the API key: `full`, `read`.
         */
        get: operations["readWallet"];
        /**
         * Set the store's wallet, from the next invoice on
         * @description Open invoices keep their addresses; an invoice that has none yet (`not-activated`) takes it from the new wallet. The change is recorded in the audit log, and the store's owners receive an alert and a mail. An API key may set a store's first wallet. Replacing it or changing `startIndex` requires `walletChangesByKey`, which can only be enabled in the dashboard; otherwise the response is 403 `dashboard-only`. A wallet that another store uses is refused with 409 `wallet-in-use`, unless a server admin or an owner of both stores sets it in the dashboard.
         *
         *     Access of the API key: `full`.
         */
        put: operations["changeWallet"];
        post?: never;
        /**
         * Stop on-chain payments for new invoices
         * @description Addresses that were given out are still watched. If the wallet is set again later, it continues at its next index. An API key requires the store's `walletChangesByKey`; otherwise the response is 403 `dashboard-only`.
         *
         *     Access of the API key: `full`.
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
        /**
         * Preview a wallet's first addresses; nothing is stored
         * @description One at a time for a store; it counts as 50 requests.
         *
         *     Access of the API key: `full`.
         */
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
        /**
         * Read which Lightning node the store's payments go to
         * @description Its certificate and its macaroon are never shown.
         *
         *     Access of the API key: `full`, `read`.
         */
        get: operations["readLightning"];
        /**
         * Connect the store's own LND, or use the server's node
         * @description From the next invoice on. Its access is checked as `POST …/BTC-LN/check` does, and a failed step is a 422 that says why and what to do. What the server can never do with it is spend: a macaroon with other rights is refused from its own bytes, before anything is sent. The same node with another certificate, macaroon or address stays the same; another one replaces it, and what is paid to the former meanwhile counts. The change is recorded in the audit log, and the store's owners receive an alert and a mail. An API key may connect a store's first node; replacing it requires `walletChangesByKey` (403 `dashboard-only`). `{"node": "server"}` is for server admins, not API keys: the operator holds what is paid there. One request at a time for a store; it counts as 50.
         *
         *     Access of the API key: `full`.
         */
        put: operations["connectLightning"];
        post?: never;
        /**
         * Stop Lightning payments for new invoices
         * @description BOLT11s that are open at the store's own node are canceled there; while it is away they may still be paid, and count. Those of the server's node can be paid until they expire. An API key requires the store's `walletChangesByKey` (403 `dashboard-only`). Where the store uses the server's node, only a server admin can do it.
         *
         *     Access of the API key: `full`.
         */
        delete: operations["removeLightning"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/payment-methods/BTC-LN/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the access to an LND step by step; nothing is stored
         * @description Without fields: of the node that is connected. The last step that is shown has failed unless all passed. It makes and cancels a BOLT11 of one satoshi. One at a time for a store; it counts as 50 requests.
         *
         *     Access of the API key: `full`.
         */
        post: operations["checkLightning"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List confirmed payments and recorded refunds, oldest first
         * @description A payment that is not confirmed, or no longer, is in no book and not in this list. `exportPayments` returns the same lines as a file.
         *
         *     Access of the API key: `full`, `read`.
         */
        get: operations["listPayments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/payments/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export confirmed payments and recorded refunds, oldest first
         * @description For bookkeeping: a line for each payment and each refund, streamed. The columns of `csv` never change. Its limits are those of `exportInvoices`.
         *
         *     Access of the API key: `full`, `read`.
         */
        get: operations["exportPayments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/payments/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Add up the payments and refunds of a range of days
         * @description Access of the API key: `full`, `read`.
         */
        get: operations["sumPayments"];
        put?: never;
        post?: never;
        delete?: never;
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
         * Read the current exchange rates for this store's invoices
         * @description The rates that an invoice created now would get: the median of the exchanges that agree, less the store's spread. If one of the currencies has no rate, the response is 503 `rate-unavailable`.
         *
         *     Access of the API key: `full`, `create-and-read-invoices`, `read`.
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
    "/stores/{storeId}/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what came in, by day, week or month
         * @description Days are those of the store's `timeZone`, unless you send another. `received` goes by the day on which a payment was confirmed, all else by the day on which its invoice was created. A later payment changes the report of an earlier day.
         *
         *     Access of the API key: `full`, `read`.
         */
        get: operations["readReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/reviews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what waits for a person's decision, oldest first
         * @description Money came that no rule decides about: late, too much, too little, or to an invoice that is Invalid or archived. A review is written with the state that it asks about, follows the invoice while it is open, and is opened again by a new payment after it was resolved.
         *
         *     Access of the API key: `full`, `read`.
         */
        get: operations["listReviews"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/reviews/{reviewId}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look the refund's transaction up again
         * @description Access of the API key: `full`.
         */
        post: operations["checkRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{storeId}/reviews/{reviewId}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record what was decided
         * @description It changes no invoice and sends neither money nor an event: mark the invoice by hand if the shop has to be told. A refund by `BTC-CHAIN` is looked up at the Bitcoin node.
         *
         *     Access of the API key: `full`.
         */
        post: operations["resolveReview"];
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
        /**
         * List webhooks, newest first
         * @description Access of the API key: `full`, `read`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook; its secret is shown once
         * @description Access of the API key: `full`.
         */
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
        /**
         * Read a webhook
         * @description Access of the API key: `full`, `read`.
         */
        get: operations["readWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook; its deliveries can still be read and redelivered
         * @description Access of the API key: `full`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook's URL and events, enable or disable it
         * @description Fields that are left out keep their values. A new `url` or `enabled` applies to every delivery that has not been sent yet, `events` to events that happen from now on.
         *
         *     Access of the API key: `full`.
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
        /**
         * List a webhook's deliveries, newest first
         * @description Access of the API key: `full`, `read`.
         */
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
        /**
         * Read a delivery with its attempts
         * @description Access of the API key: `full`, `read`.
         */
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
        /**
         * Redeliver a delivery
         * @description Access of the API key: `full`.
         */
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
         * @description The headers and the body exactly as they were sent, byte for byte; `url` is the webhook's current URL. Before the first attempt there are no signatures.
         *
         *     Access of the API key: `full`.
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
        /**
         * Redeliver many deliveries, by default those that failed
         * @description One request of a store at a time; another is refused (`rate-limited`). After 30 seconds the response is 503, and the service continues with the rest. If it stops meanwhile, what was requested stays so: repeat the request for the rest.
         *
         *     Access of the API key: `full`.
         */
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
         * @description From now on `X-Service-Sig` is made with the new secret only. `webhook-signature` has signatures made with both secrets for `overlapSeconds` (a day by default; 0 drops the old secret at once).
         *
         *     Access of the API key: `full`.
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
         * Send a test event
         * @description It is delivered like any other event, whichever events the webhook receives. Its invoice does not exist, and its header `X-Service-Test` is `true`.
         *
         *     Access of the API key: `full`.
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
         * @description Sent once, with no automatic retry; it can be redelivered by hand. Respond with any 2xx within 10 seconds; anything else is a failed delivery. Verify the signature of the raw body before you parse it, and skip an order that you have already marked as paid: it can have two `Settled` events.
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
         * @description What was unusual about how the invoice reached its status.
         * @example None
         * @enum {string}
         */
        AdditionalStatus: "None" | "Underpaid" | "Overpaid" | "PaidAfterExpiration";
        /**
         * @description Something that needs somebody's attention.
         * @example {
         *       "alertId": "alr_8Kp2xTgW5rMzQn7VyCsLbF",
         *       "kind": "double-spend",
         *       "severity": "warning",
         *       "storeId": "4wBqpZM9k2mAgN8rTzZy7VdQ3hUuFLcXeJ5sRtGbKoPq",
         *       "invoiceId": "inv_7Yt3kQm9ZxWvB2nRcLsDfH",
         *       "message": "25000 sats are contested: an unconfirmed transaction spends the same coins, or coins that it depends on, and pays less to the invoice or nothing.",
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
            kind: "payment-before-invoice" | "payment-refused" | "reorganisation" | "double-spend" | "expiry-held" | "node-away" | "node-behind" | "node-blind" | "other-chain" | "lightning-away" | "lightning-locked" | "lightning-forbidden" | "lightning-node-changed" | "lightning-certificate" | "lightning-clock" | "lightning-other-node" | "lightning-unfinished" | "cannot-receive" | "deliveries-failing" | "secret-unreadable" | "wallet-changed" | "settings-weakened" | "destination-not-authentic" | "access-not-authentic" | "rates-away" | "queue-away" | "gap-limit" | "books-differ" | "set-aside" | "restored";
            message: string;
            /** @description Null while the alert is open. */
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
         *       "access": "full",
         *       "permissions": null,
         *       "lastUsedAt": "2026-03-01T12:00:00.000Z",
         *       "expiresAt": null,
         *       "webhooks": [
         *         {
         *           "webhookId": "wh_5Jd8sPqX4mTzRw9KbNvCfY",
         *           "url": "https://shop.example/hooks/bitcoin"
         *         }
         *       ]
         *     }
         */
        ApiKey: {
            /** @description What a key of this API may do. Null for a shop plugin's key, which it refuses. */
            access: ("full" | "create-and-read-invoices" | "read") | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            createdAt: string;
            /** @description The e-mail address of that user, shown to owners in the dashboard; null for API keys. */
            createdByEmail: string | null;
            /** @description The user who created it or, if an API key created it, that key's creator; null for the command line. */
            createdByUserId: string | null;
            expiresAt: string | null;
            /** @example key_6Hm4tNcR9wLsXv3ZqBpJdG */
            id: string;
            /** @description Accurate to five minutes. */
            lastUsedAt: string | null;
            name: string;
            /** @description Of a shop plugin's key: all that it may do. Null for a key of this API. */
            permissions: string[] | null;
            /** @description The first characters after `sk_live_` or `sk_test_`. */
            prefix: string;
            /** @description The webhooks whose present URL was set by this key, or by a key that was created with it. */
            webhooks: {
                url: string;
                /** @example wh_5Jd8sPqX4mTzRw9KbNvCfY */
                webhookId: string;
            }[];
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
         *       "access": "full",
         *       "permissions": null,
         *       "lastUsedAt": null,
         *       "expiresAt": null,
         *       "webhooks": [],
         *       "apiKey": "sk_live_Zk3vQ9xA0000000000000000000000000000000000000000000"
         *     }
         */
        ApiKeyWithText: {
            /** @description What a key of this API may do. Null for a shop plugin's key, which it refuses. */
            access: ("full" | "create-and-read-invoices" | "read") | null;
            /** @description Shown in this response only. */
            apiKey: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            createdAt: string;
            /** @description The e-mail address of that user, shown to owners in the dashboard; null for API keys. */
            createdByEmail: string | null;
            /** @description The user who created it or, if an API key created it, that key's creator; null for the command line. */
            createdByUserId: string | null;
            expiresAt: string | null;
            /** @example key_6Hm4tNcR9wLsXv3ZqBpJdG */
            id: string;
            /** @description Accurate to five minutes. */
            lastUsedAt: string | null;
            name: string;
            /** @description Of a shop plugin's key: all that it may do. Null for a key of this API. */
            permissions: string[] | null;
            /** @description The first characters after `sk_live_` or `sk_test_`. */
            prefix: string;
            /** @description The webhooks whose present URL was set by this key, or by a key that was created with it. */
            webhooks: {
                url: string;
                /** @example wh_5Jd8sPqX4mTzRw9KbNvCfY */
                webhookId: string;
            }[];
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
             * @description The first attempt is automatic, all others are redeliveries by hand; a shop plugin's webhook also has automatic redeliveries.
             * @enum {string}
             */
            cause: "automatic" | "manual";
            /**
             * @description In milliseconds.
             * @example 182
             */
            durationMs: number | null;
            /**
             * @description A short code such as `timeout` or `http-500`; null if it was delivered.
             * @example null
             */
            error: string | null;
            /**
             * @description The status of the endpoint's response; null without a response.
             * @example 200
             */
            httpStatus: number | null;
            number: number;
            /** @description The IP address that the request was sent to. */
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
         *       "description": "Two pounds of tea",
         *       "amounts": [
         *         "25"
         *       ],
         *       "maxUses": null
         *     }
         * @example {
         *       "maxPerDay": 100
         *     }
         */
        ChangePaymentLink: {
            /** @description One is a fixed price, several are a choice. `null`: the customer enters one. */
            amounts?: string[] | null;
            /** @description What is paid for. Shown to the customer, and the description of each invoice. */
            description?: string;
            /** @description From then on the link takes no payments. Default: it does not end. */
            endsAt?: string | null;
            /** @description The most that a customer may enter. */
            maxAmount?: string | null;
            /** @description How many invoices may be created in a day of the store's `timeZone`, paid or not. Default: 1,000. */
            maxPerDay?: number;
            /** @description How many invoices may be open or paid. Default: no limit. */
            maxUses?: number | null;
            /** @description With `maxAmount`: the least that a customer may enter. */
            minAmount?: string | null;
            /** @description Where the customer goes after the checkout. `{invoiceId}` and `{orderId}` are replaced. Default: nowhere; where the customer enters the amount, back to the link. */
            redirectUrl?: string | null;
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
            maxInvoiceSats?: number | null;
            monitoringSeconds?: number;
            name?: string;
            paymentTolerance?: number | string;
            privateRouteHints?: boolean;
            rateSources?: string[] | null;
            rateSpread?: number | string;
            receiptsByMail?: boolean;
            redirectAutomatically?: boolean;
            requiredConfirmations?: number;
            sellerDetails?: string | null;
            supportUrl?: string | null;
            timeZone?: string;
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
            /**
             * @description The type of a plain xpub's or tpub's addresses; of a file with several accounts, which.
             * @enum {string}
             */
            scriptType?: "wpkh" | "tr" | "sh-wpkh" | "pkh";
            /** @description Index of the first address to give out, at most 10,000 above the highest index given out so far. It can only raise the next index. */
            startIndex?: number;
            /** @description The account's extended public key (xpub, ypub, zpub, tpub, upub, vpub), also with its origin (`[d34db33f/84h/0h/0h]xpub…`), or the content of the file that the wallet exports. */
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
         *       "address": "node.example.com:10009",
         *       "macaroon": "0201036c6e64024f030a102ce3ea5dc721352b956e94835a7186d01201301a0c0a04696e666f1204726561641a170a08696e766f69636573120472656164120577726974651a100a086f6666636861696e12047265616400000620b78932b19b86f72f0e9cec3d95437ee7fdfa86cf5edfec2c7780e7fcf0eefeb4"
         *     }
         */
        CheckLightning: {
            /**
             * @description Host and port of LND's gRPC.
             * @example node.example.com:10009
             */
            address?: string;
            /** @description `lndconnect://host:port?cert=…&macaroon=…`, as node packages show it; or BTCPay Server's `type=lnd-rest;server=…;macaroon=…`, which also needs `address` and usually `tlsCertificate`. */
            lndconnect?: string;
            /** @description As hex or base64, with `invoices:read`, `invoices:write` and, to show more about the node, `info:read` and `offchain:read`. One that can spend is refused. */
            macaroon?: string;
            /** @description LND's tls.cert as PEM, hex or base64. Without it the authorities that this server trusts decide: for a node behind a proxy with a public certificate. */
            tlsCertificate?: string;
        };
        /**
         * @example {
         *       "address": "node.example.com:10009",
         *       "macaroon": "0201036c6e64024f030a102ce3ea5dc721352b956e94835a7186d01201301a0c0a04696e666f1204726561641a170a08696e766f69636573120472656164120577726974651a100a086f6666636861696e12047265616400000620b78932b19b86f72f0e9cec3d95437ee7fdfa86cf5edfec2c7780e7fcf0eefeb4"
         *     }
         * @example {
         *       "node": "server"
         *     }
         */
        ConnectLightning: {
            /**
             * @description Host and port of LND's gRPC.
             * @example node.example.com:10009
             */
            address?: string;
            /** @description `lndconnect://host:port?cert=…&macaroon=…`, as node packages show it; or BTCPay Server's `type=lnd-rest;server=…;macaroon=…`, which also needs `address` and usually `tlsCertificate`. */
            lndconnect?: string;
            /** @description As hex or base64, with `invoices:read`, `invoices:write` and, to show more about the node, `info:read` and `offchain:read`. One that can spend is refused. */
            macaroon?: string;
            /** @constant */
            node?: "server";
            /** @description LND's tls.cert as PEM, hex or base64. Without it the authorities that this server trusts decide: for a node behind a proxy with a public certificate. */
            tlsCertificate?: string;
        };
        /**
         * @example {
         *       "name": "Web shop"
         *     }
         */
        CreateApiKey: {
            /**
             * @description What the key may do: `full` (default), `create-and-read-invoices`, or `read`, which changes nothing. Each operation names those that it allows.
             * @enum {string}
             */
            access?: "full" | "create-and-read-invoices" | "read";
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
            /** @description The price: an integer for `SATS`, up to 8 decimals for `BTC`, up to the currency's own number of decimals otherwise. */
            amount: string;
            /** @description `BTC`, `SATS` or an ISO 4217 code. Default: the store's. */
            currency?: string;
            /** @description Shown to the customer. */
            description?: string;
            /** @description How long the price is valid. Default: the store's. */
            expiresInSeconds?: number;
            /** @description The language of the checkout, such as `en` or `pt-BR`. */
            language?: string;
            /** @description Your own data, at most 32 KiB; returned unchanged in responses and webhooks. `orderId` is a string of at most 200 characters. Default: the invoiceId. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description How long after the expiry late payments still change the invoice. Default: the store's. */
            monitoringSeconds?: number;
            /** @description Default: all of the store's. */
            paymentMethods?: ("BTC-CHAIN" | "BTC-LN")[];
            /** @description How much less than the price is accepted, in per cent with at most 4 decimals. Default: the store's. */
            paymentTolerance?: number | string;
            /** @description Whether the customer goes there without a click. Default: the store's. */
            redirectAutomatically?: boolean;
            /** @description Where the customer goes after the checkout. `{invoiceId}` and `{orderId}` are replaced. */
            redirectUrl?: string;
            /** @description How many confirmations a payment needs. Default: the store's. */
            requiredConfirmations?: number;
        };
        /**
         * @example {
         *       "description": "A pound of tea",
         *       "currency": "EUR",
         *       "amounts": [
         *         "12.50"
         *       ],
         *       "maxUses": 20
         *     }
         * @example {
         *       "description": "Donation",
         *       "currency": "EUR",
         *       "amounts": [
         *         "5",
         *         "10",
         *         "25"
         *       ],
         *       "endsAt": "2099-12-31T23:59:59Z"
         *     }
         * @example {
         *       "description": "At the till",
         *       "currency": "EUR",
         *       "minAmount": "0.50",
         *       "maxAmount": "500",
         *       "orderPrefix": "till-"
         *     }
         */
        CreatePaymentLink: {
            /** @description One is a fixed price, several are a choice. `null`: the customer enters one. */
            amounts?: string[] | null;
            /** @description `BTC`, `SATS` or an ISO 4217 code. */
            currency: string;
            /** @description What is paid for. Shown to the customer, and the description of each invoice. */
            description: string;
            /** @description From then on the link takes no payments. Default: it does not end. */
            endsAt?: string | null;
            /** @description The most that a customer may enter. */
            maxAmount?: string | null;
            /**
             * @description How many invoices may be created in a day of the store's `timeZone`, paid or not. Default: 1,000.
             * @default 1000
             */
            maxPerDay?: number;
            /** @description How many invoices may be open or paid. Default: no limit. */
            maxUses?: number | null;
            /** @description With `maxAmount`: the least that a customer may enter. */
            minAmount?: string | null;
            /** @description An invoice's order id is this and its number. Default: the end of the link's id and `-`. */
            orderPrefix?: string;
            /** @description Where the customer goes after the checkout. `{invoiceId}` and `{orderId}` are replaced. Default: nowhere; where the customer enters the amount, back to the link. */
            redirectUrl?: string | null;
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
         * @description The delivery of one event to one webhook.
         * @example {
         *       "deliveryId": "whd_9Gk2hLwR7pXsVt4QzMbNcE",
         *       "eventId": "evt_3Fn6vBxS8rKtJm5WyQzLpD",
         *       "webhookId": "wh_5Jd8sPqX4mTzRw9KbNvCfY",
         *       "invoiceId": "inv_7Yt3kQm9ZxWvB2nRcLsDfH",
         *       "type": "Settled",
         *       "additionalStatus": "None",
         *       "dialectType": null,
         *       "state": "delivered",
         *       "attemptCount": 1,
         *       "httpStatus": 200,
         *       "error": null,
         *       "durationMs": 182,
         *       "createdAt": "2026-03-01T12:14:52.000Z",
         *       "lastAttemptAt": "2026-03-01T12:14:52.130Z",
         *       "nextAttemptAt": null
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
             * @description What a shop plugin's webhook is sent of the event; null at a native webhook.
             * @example null
             */
            dialectType: ("InvoiceCreated" | "InvoiceReceivedPayment" | "InvoicePaymentSettled" | "InvoiceProcessing" | "InvoiceSettled" | "InvoiceExpired" | "InvoiceInvalid" | "InvoicePaidAfterExpiration" | "InvoiceExpiredPaidPartial") | null;
            /**
             * @description In milliseconds.
             * @example 182
             */
            durationMs: number | null;
            /**
             * @description A short code such as `timeout` or `http-500`; null if it was delivered.
             * @example null
             */
            error: string | null;
            /**
             * @description The same at every redelivery.
             * @example evt_3Fn6vBxS8rKtJm5WyQzLpD
             */
            eventId: string;
            /**
             * @description The status of the endpoint's response; null without a response.
             * @example 200
             */
            httpStatus: number | null;
            /** @example inv_7Yt3kQm9ZxWvB2nRcLsDfH */
            invoiceId: string;
            lastAttemptAt: string | null;
            /** @description When a failed delivery is sent again automatically; always null at a native webhook. */
            nextAttemptAt: string | null;
            /**
             * @description Skipped: the webhook was disabled or deleted before the delivery was sent, or (`overtaken`) a shop plugin has received a later state of the invoice.
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
         *       "dialectType": null,
         *       "state": "delivered",
         *       "attemptCount": 1,
         *       "httpStatus": 200,
         *       "error": null,
         *       "durationMs": 182,
         *       "createdAt": "2026-03-01T12:14:52.000Z",
         *       "lastAttemptAt": "2026-03-01T12:14:52.130Z",
         *       "nextAttemptAt": null,
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
            /** @description The last hundred attempts, oldest first. */
            attempts: components["schemas"]["Attempt"][];
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            createdAt: string;
            /** @example whd_9Gk2hLwR7pXsVt4QzMbNcE */
            deliveryId: string;
            /**
             * @description What a shop plugin's webhook is sent of the event; null at a native webhook.
             * @example null
             */
            dialectType: ("InvoiceCreated" | "InvoiceReceivedPayment" | "InvoicePaymentSettled" | "InvoiceProcessing" | "InvoiceSettled" | "InvoiceExpired" | "InvoiceInvalid" | "InvoicePaidAfterExpiration" | "InvoiceExpiredPaidPartial") | null;
            /**
             * @description In milliseconds.
             * @example 182
             */
            durationMs: number | null;
            /**
             * @description A short code such as `timeout` or `http-500`; null if it was delivered.
             * @example null
             */
            error: string | null;
            /**
             * @description The same at every redelivery.
             * @example evt_3Fn6vBxS8rKtJm5WyQzLpD
             */
            eventId: string;
            /**
             * @description The status of the endpoint's response; null without a response.
             * @example 200
             */
            httpStatus: number | null;
            /** @example inv_7Yt3kQm9ZxWvB2nRcLsDfH */
            invoiceId: string;
            lastAttemptAt: string | null;
            /** @description When a failed delivery is sent again automatically; always null at a native webhook. */
            nextAttemptAt: string | null;
            /**
             * @description Skipped: the webhook was disabled or deleted before the delivery was sent, or (`overtaken`) a shop plugin has received a later state of the invoice.
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
            /** @description `null` removes the address that was left on the checkout, so that another can be left. */
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
             * @description Send it as `after` in the next request, even if `data` is empty.
             * @example 0000000000000042
             */
            nextAfter: string;
        };
        /**
         * @description An event has the name of the invoice's new status.
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
             * @description The `X-Service-Event-Id` of the event's webhooks.
             * @example evt_3Fn6vBxS8rKtJm5WyQzLpD
             */
            eventId: string;
            /** @example inv_7Yt3kQm9ZxWvB2nRcLsDfH */
            invoiceId: string;
            /** @description The metadata when the event was created; null once it is no longer stored. */
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The position in the feed. It increases, also when compared as text; otherwise treat it as opaque.
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
             * @description `off`: not configured.
             * @enum {string}
             */
            status: "ok" | "degraded" | "down" | "off";
        };
        /** @description An invoice that was created without an address got one. */
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
        /** @description The invoice was archived or restored. */
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
        /** @description An event was created, to be delivered to webhooks. */
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
        HistoryLine: components["schemas"]["HistoryStatus"] | components["schemas"]["HistoryPayment"] | components["schemas"]["HistoryEvent"] | components["schemas"]["HistoryActivated"] | components["schemas"]["HistoryEdit"] | components["schemas"]["HistoryRefundAddress"] | components["schemas"]["HistoryReceipt"] | components["schemas"]["HistoryArchive"];
        HistoryPage: {
            data: components["schemas"]["HistoryLine"][];
            /**
             * @description Send it as `cursor` to get the next items; null at the end of the list.
             * @example null
             */
            nextCursor: string | null;
        };
        /** @description A payment was detected or changed. */
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
            /** @description Present for a payment that is older than the invoice, and so is not counted. */
            beforeInvoice?: boolean;
            /** @description Whether the amount is too small to count. */
            belowDust: boolean;
            blockHeight?: number;
            /**
             * @description The kind of change.
             * @example confirmed
             */
            change: string;
            /** @description The id of a transaction that spends the same coins. */
            conflictTxid?: string;
            /** @constant */
            kind: "payment";
            paymentId: string;
            /** @enum {string} */
            state: "pending" | "confirmed" | "replaced" | "evicted";
            /** @enum {string} */
            type: "BTC-CHAIN" | "BTC-LN";
        };
        /** @description The customer asked for a receipt by mail, or the mail server accepted or refused it. */
        HistoryReceipt: {
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /** @enum {string} */
            kind: "receipt-asked" | "receipt-sent" | "receipt-refused";
        };
        /** @description A refund address was left on the checkout. */
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
         * @description The invoice's status changed.
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
            /** @description The note of the user who marked the invoice. */
            note?: string;
            /** @description In words, for people. */
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
             * @description The price in `currency`, as it was sent.
             * @example 12.50
             */
            amount: string;
            archived: boolean;
            /** @description The checkout: the page on which the customer pays. */
            checkoutUrl: string;
            /**
             * @description The confirmed part of `paidSats`, in satoshi.
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
            /** @description Exactly as it was sent: keys, their order, and values. */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description Until then late payments still change the invoice; a payment of the whole price does so for ever.
             * @example 2026-03-02T12:15:00.000Z
             */
            monitoringUntil: string;
            /**
             * @description The sum of the payments that count, confirmed or not, in satoshi.
             * @example 25000
             */
            paidSats: number;
            paymentMethods: components["schemas"]["PaymentMethod"][];
            /** @description Oldest first; of more than 100 the largest that count. */
            payments: components["schemas"]["Payment"][];
            /** @description How many payments are missing from `payments`; usually 0. The sums include them, and the history lists each. */
            paymentsOmitted: number;
            /** @description How much less than the price is accepted, in per cent. */
            paymentTolerance: number;
            /** @description One URI with all available payment methods (BIP 21); null if there is none. */
            paymentUri: string | null;
            /** @description Null if the price is in bitcoin. */
            rate: components["schemas"]["InvoiceRate"] | null;
            redirectAutomatically: boolean;
            /** @description Where the customer goes after the checkout. A visit there does not prove a payment. */
            redirectUrl: string | null;
            /** @description A Bitcoin address for a refund, left by anybody who had the link to the checkout: ask the customer before you send a large amount. Null if there is none. */
            refundAddress: string | null;
            /** @description When the refund address was left. */
            refundAddressAt: string | null;
            /**
             * @description What is still due, in satoshi; 0 once enough was paid.
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
        /** @description The exchange rate with which the invoice was priced. */
        InvoiceRate: {
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /** @description The exchanges that agreed on it. */
            sources: string[];
            /** @description The store's spread in per cent, already subtracted from `value`. */
            spread: number;
            /**
             * @description The price of one bitcoin in the invoice's currency.
             * @example 98123.45
             */
            value: string;
        };
        /**
         * @description Fulfil the order at Settled, not before.
         * @example New
         * @enum {string}
         */
        InvoiceStatus: "New" | "Processing" | "Settled" | "Expired" | "Invalid";
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16:0",
         *           "kind": "payment",
         *           "at": "2026-03-01T12:14:52.000Z",
         *           "day": "2026-03-01",
         *           "time": "12:14:52",
         *           "orderId": "A-1001",
         *           "invoiceId": "inv_7Yt3kQm9ZxWvB2nRcLsDfH",
         *           "type": "BTC-CHAIN",
         *           "reference": "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16:0",
         *           "amountSats": 25000,
         *           "counted": true,
         *           "reason": null,
         *           "currency": "EUR",
         *           "fiatAmount": "24.53",
         *           "rate": {
         *             "value": "98123.45",
         *             "sources": [
         *               "bitstamp",
         *               "kraken"
         *             ],
         *             "at": "2026-03-01T12:00:00.000Z",
         *             "spread": 0
         *           }
         *         }
         *       ]
         *     }
         */
        LedgerExport: {
            data: components["schemas"]["LedgerLine"][];
        };
        /**
         * @description A payment that was received, or a refund.
         * @example {
         *       "id": "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16:0",
         *       "kind": "payment",
         *       "at": "2026-03-01T12:14:52.000Z",
         *       "day": "2026-03-01",
         *       "time": "12:14:52",
         *       "orderId": "A-1001",
         *       "invoiceId": "inv_7Yt3kQm9ZxWvB2nRcLsDfH",
         *       "type": "BTC-CHAIN",
         *       "reference": "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16:0",
         *       "amountSats": 25000,
         *       "counted": true,
         *       "reason": null,
         *       "currency": "EUR",
         *       "fiatAmount": "24.53",
         *       "rate": {
         *         "value": "98123.45",
         *         "sources": [
         *           "bitstamp",
         *           "kraken"
         *         ],
         *         "at": "2026-03-01T12:00:00.000Z",
         *         "spread": 0
         *       }
         *     }
         */
        LedgerLine: {
            /** @description In satoshi; negative for a refund. */
            amountSats: number;
            /**
             * Format: date-time
             * @description When the payment was confirmed, or the refund was recorded.
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /** @description Whether it is in the sums. */
            counted: boolean;
            /** @description The invoice's. */
            currency: string;
            /**
             * Format: date
             * @description Of `at`, in the store's time zone.
             */
            day: string;
            /** @description `amountSats` at the invoice's rate, rounded half up; null if its price is in bitcoin. Negative for a refund. */
            fiatAmount: string | null;
            /** @description Unique: the payment's id or, of a refund, the review's. */
            id: string;
            /** @example inv_7Yt3kQm9ZxWvB2nRcLsDfH */
            invoiceId: string;
            /** @enum {string} */
            kind: "payment" | "refund";
            orderId: string;
            /** @description The invoice's; null if its price is in bitcoin. */
            rate: components["schemas"]["InvoiceRate"] | null;
            /** @description Why a payment is not counted: `below-dust` (below the dust limit) or `before-invoice` (older than the invoice). A refund that is counted, but whose payment was dropped after it: `payment-gone`. */
            reason: ("below-dust" | "before-invoice" | "payment-gone") | null;
            /** @description `txid:vout` of a payment, txid of a refund, or a payment hash. */
            reference: string;
            /** @description The same. */
            time: string;
            /** @enum {string} */
            type: "BTC-CHAIN" | "BTC-LN";
        };
        LedgerPage: {
            data: components["schemas"]["LedgerLine"][];
            /**
             * @description Send it as `cursor` to get the next items; null at the end of the list.
             * @example null
             */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "timeZone": "Europe/Dublin",
         *       "receivedOnchainSats": 25000,
         *       "receivedLightningSats": 0,
         *       "refundedSats": 0,
         *       "payments": 1,
         *       "refunds": 0,
         *       "fiat": [
         *         {
         *           "currency": "EUR",
         *           "received": "24.53",
         *           "refunded": "0.00"
         *         }
         *       ]
         *     }
         */
        LedgerSums: {
            /** @description The sums of `fiatAmount`, for each currency in which invoices were priced. */
            fiat: {
                currency: string;
                received: string;
                refunded: string;
            }[];
            /** @description How many payments were counted. */
            payments: number;
            /**
             * @description In satoshi.
             * @example 25000
             */
            receivedLightningSats: number;
            /**
             * @description In satoshi.
             * @example 25000
             */
            receivedOnchainSats: number;
            /**
             * @description In satoshi.
             * @example 25000
             */
            refundedSats: number;
            refunds: number;
            /** @description The store's. */
            timeZone: string;
        };
        /**
         * @example {
         *       "passed": false,
         *       "steps": [
         *         {
         *           "step": "macaroon",
         *           "outcome": "failed",
         *           "message": "The macaroon lacks the right invoices:write."
         *         }
         *       ]
         *     }
         */
        LightningCheck: {
            passed: boolean;
            steps: components["schemas"]["LightningCheckStep"][];
        };
        /**
         * @example {
         *       "step": "synced",
         *       "outcome": "passed",
         *       "message": "The node is synced with the chain."
         *     }
         */
        LightningCheckStep: {
            /** @description What was found and, where it failed, what to do. */
            message: string;
            /** @enum {string} */
            outcome: "passed" | "warning" | "failed";
            /** @enum {string} */
            step: "macaroon" | "name" | "reachable" | "certificate" | "unlocked" | "rights" | "network" | "synced" | "receivable" | "bolt11";
        };
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
         * @description One transaction output or one Lightning payment.
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
             * @description Before the invoice's `createdAt` for a payment that is older than the invoice, which never counts.
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
            /** @description The id of the transaction that replaced it. */
            replacedByTxid?: string;
            /**
             * @description Replaced and evicted payments do not count. A payment that is `confirmed` without any confirmation, because its invoice requires none, settles nothing while an unconfirmed transaction conflicts with it.
             * @enum {string}
             */
            state: "pending" | "confirmed" | "replaced" | "evicted";
            txid?: string;
            /** @enum {string} */
            type: "BTC-CHAIN" | "BTC-LN";
            vout?: number;
        };
        /**
         * @example {
         *       "linkId": "lnk_7Vb4nWsKx2QmRz8PtYdHgJ",
         *       "url": "https://pay.example/p/lnk_7Vb4nWsKx2QmRz8PtYdHgJ",
         *       "description": "A pound of tea",
         *       "currency": "EUR",
         *       "amounts": [
         *         "12.50"
         *       ],
         *       "minAmount": null,
         *       "maxAmount": null,
         *       "redirectUrl": null,
         *       "orderPrefix": "tYdHgJ-",
         *       "maxUses": 20,
         *       "maxPerDay": 1000,
         *       "endsAt": null,
         *       "uses": 3,
         *       "invoicesCreated": 5,
         *       "archived": false,
         *       "createdAt": "2026-03-01T12:00:00.000Z"
         *     }
         */
        PaymentLink: {
            amounts: string[] | null;
            /** @description An archived link takes no payments. */
            archived: boolean;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            createdAt: string;
            currency: string;
            description: string;
            endsAt: string | null;
            /** @description The number of the last invoice. */
            invoicesCreated: number;
            /** @example lnk_7Vb4nWsKx2QmRz8PtYdHgJ */
            linkId: string;
            maxAmount: string | null;
            maxPerDay: number;
            maxUses: number | null;
            minAmount: string | null;
            orderPrefix: string;
            redirectUrl: string | null;
            /**
             * @description The public page.
             * @example https://pay.example/p/lnk_7Vb4nWsKx2QmRz8PtYdHgJ
             */
            url: string;
            /** @description Invoices that are open or paid; null without `maxUses`: they are not counted. */
            uses: number | null;
        };
        PaymentLinkPage: {
            data: components["schemas"]["PaymentLink"][];
            /**
             * @description Send it as `cursor` to get the next items; null at the end of the list.
             * @example null
             */
            nextCursor: string | null;
        };
        /**
         * @description One of the ways to pay an invoice.
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
             * @description What is still due, in satoshi. At an address at least its dust limit: nodes relay no smaller payment, and the invoice becomes Overpaid by the difference.
             * @example 25000
             */
            amountSats: number;
            /** @description Whether the invoice can be paid with this method now. */
            available: boolean;
            /** @description Address or BOLT11 invoice; null while there is none. */
            destination: string | null;
            /** @description The URI that a wallet opens. */
            paymentUri: string | null;
            /**
             * @description Why the payment method has no destination and is not available. `not-activated`: the store has `lazyAddresses`, and nobody has opened the checkout or called `activateOnchain`. `not-chosen`: the invoice was created at a payment link, and the customer has not chosen to pay on-chain. `being-issued`: the BOLT11 for the amount that is due is being created. `node-unavailable`: the Lightning node did not respond; the BOLT11 is created as soon as it does. `exceeds-receivable`: the amount due is more than the Lightning node's channels can receive now. `node-clock`: the Lightning node's clock is wrong, so that wallets would refuse its BOLT11s. `no-longer-payable`: nothing can be paid with this method any more. `not-authentic`: the database does not have what this service stored there; the operator is alerted.
             * @enum {string}
             */
            reason?: "not-activated" | "not-chosen" | "being-issued" | "node-unavailable" | "exceeds-receivable" | "node-clock" | "no-longer-payable" | "not-authentic";
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
            /**
             * @description The type of a plain xpub's or tpub's addresses; of a file with several accounts, which.
             * @enum {string}
             */
            scriptType?: "wpkh" | "tr" | "sh-wpkh" | "pkh";
            /** @description Index of the first address to give out, at most 10,000 above the highest index given out so far. It can only raise the next index. */
            startIndex?: number;
            /** @description The account's extended public key (xpub, ypub, zpub, tpub, upub, vpub), also with its origin (`[d34db33f/84h/0h/0h]xpub…`), or the content of the file that the wallet exports. */
            xpub?: string;
        };
        /** @description Problem details (RFC 9457). */
        Problem: {
            /**
             * @description The kind of problem, for programs. It does not change.
             * @enum {string}
             */
            code: "malformed-request" | "unauthenticated" | "invalid-credentials" | "store-mismatch" | "admin-only" | "dashboard-only" | "plugin-key" | "permission-missing" | "role-insufficient" | "reauthentication-needed" | "second-factor-needed" | "cross-site-request" | "route-not-found" | "store-not-found" | "invoice-not-found" | "webhook-not-found" | "delivery-not-found" | "api-key-not-found" | "payment-method-not-found" | "payment-link-not-found" | "alert-not-found" | "review-not-found" | "user-not-found" | "session-not-found" | "passkey-not-found" | "invitation-not-found" | "link-not-found" | "method-not-allowed" | "idempotency-conflict" | "invalid-transition" | "review-resolved" | "review-changed" | "refund-recorded" | "delivery-in-progress" | "pruned" | "wallet-in-use" | "last-owner" | "limit-reached" | "already-enabled" | "body-too-large" | "unsupported-media-type" | "validation-failed" | "rate-limited" | "rate-unavailable" | "payment-method-unavailable" | "unavailable" | "internal-error";
            /** @description What is wrong and how to fix it, in words. */
            detail: string;
            /** @description With 422: the invalid fields, at most 20. */
            errors?: {
                message: string;
                /** @description The field or parameter (RFC 6901); empty for the whole request. */
                pointer: string;
            }[];
            /** @description The same as in the header X-Request-Id and in the service's log. */
            requestId: string;
            status: number;
            /** @description The kind of problem, in words. */
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
            /** @description The age of the oldest of their prices; at most 300. */
            ageSeconds: number;
            currency: string;
            /** @description The price of one bitcoin for an invoice created now, less the store's spread. */
            rate: string;
            /** @description The exchanges that agreed on it. */
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
            /** @description How many deliveries will be sent again. */
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
            /**
             * @description RFC 3339, inclusive; or a day in the store's `timeZone`.
             * @example 2026-01-31T12:00:00Z
             * @example 2026-01-31
             */
            since?: string;
            /** @enum {string} */
            state?: "pending" | "sending" | "delivered" | "failed" | "skipped";
            /** @enum {string} */
            type?: "New" | "Processing" | "Settled" | "Expired" | "Invalid";
            /**
             * @description RFC 3339, exclusive; or a day, which is included.
             * @example 2026-01-31T12:00:00Z
             * @example 2026-01-31
             */
            until?: string;
        };
        /**
         * @description What came in, and what became of the invoices, in a range of days and in each of its periods.
         * @example {
         *       "from": "2026-03-01",
         *       "to": "2026-03-31",
         *       "by": "month",
         *       "timeZone": "Europe/Berlin",
         *       "totals": {
         *         "received": {
         *           "onchainSats": 90728,
         *           "lightningSats": 25000
         *         },
         *         "created": 3,
         *         "invoices": {
         *           "New": 0,
         *           "Processing": 0,
         *           "Settled": 2,
         *           "Expired": 1,
         *           "Invalid": 0
         *         },
         *         "sold": [
         *           {
         *             "currency": "EUR",
         *             "amount": "63.65",
         *             "sats": 115728
         *           }
         *         ],
         *         "averageOrderSats": 57864,
         *         "paidPercent": 66.7,
         *         "late": 0,
         *         "partial": 1,
         *         "secondsToPayment": {
         *           "median": 42,
         *           "p95": 180
         *         },
         *         "secondsToSettled": {
         *           "median": 45,
         *           "p95": 660
         *         }
         *       },
         *       "periods": [
         *         {
         *           "from": "2026-03-01",
         *           "to": "2026-03-31",
         *           "received": {
         *             "onchainSats": 90728,
         *             "lightningSats": 25000
         *           },
         *           "created": 3,
         *           "invoices": {
         *             "New": 0,
         *             "Processing": 0,
         *             "Settled": 2,
         *             "Expired": 1,
         *             "Invalid": 0
         *           },
         *           "sold": [
         *             {
         *               "currency": "EUR",
         *               "amount": "63.65",
         *               "sats": 115728
         *             }
         *           ],
         *           "averageOrderSats": 57864,
         *           "paidPercent": 66.7,
         *           "late": 0,
         *           "partial": 1,
         *           "secondsToPayment": {
         *             "median": 42,
         *             "p95": 180
         *           },
         *           "secondsToSettled": {
         *             "median": 45,
         *             "p95": 660
         *           }
         *         }
         *       ]
         *     }
         */
        Report: {
            /** @enum {string} */
            by: "day" | "week" | "month";
            /** Format: date */
            from: string;
            /** @description The oldest first, those without invoices too. */
            periods: {
                /** @description Of the Settled invoices; null without one. */
                averageOrderSats: number | null;
                /** @description Invoices that were created in the period. All other figures are about these. */
                created: number;
                /** Format: date */
                from: string;
                /** @description By their present state. */
                invoices: {
                    Expired: number;
                    Invalid: number;
                    New: number;
                    Processing: number;
                    Settled: number;
                };
                /** @description `PaidAfterExpiration` */
                late: number;
                /** @description Settled, of those that are Settled, Expired or Invalid; null without one. */
                paidPercent: number | null;
                /** @description `Underpaid` */
                partial: number;
                /** @description Payments that were confirmed in the period. */
                received: {
                    /**
                     * @description In satoshi.
                     * @example 25000
                     */
                    lightningSats: number;
                    /**
                     * @description In satoshi.
                     * @example 25000
                     */
                    onchainSats: number;
                };
                /** @description In seconds; null without a Settled invoice. Of 100 invoices of each day at most, the newest. */
                secondsToPayment: {
                    median: number;
                    p95: number;
                } | null;
                /** @description In seconds; null without a Settled invoice. Of 100 invoices of each day at most, the newest. */
                secondsToSettled: {
                    median: number;
                    p95: number;
                } | null;
                /** @description The prices of the Settled invoices: a sum for each currency, and what was due in satoshi. */
                sold: {
                    amount: string;
                    currency: string;
                    /**
                     * @description In satoshi.
                     * @example 25000
                     */
                    sats: number;
                }[];
                /** Format: date */
                to: string;
            }[];
            timeZone: string;
            /** Format: date */
            to: string;
            totals: {
                /** @description Of the Settled invoices; null without one. */
                averageOrderSats: number | null;
                /** @description Invoices that were created in the period. All other figures are about these. */
                created: number;
                /** @description By their present state. */
                invoices: {
                    Expired: number;
                    Invalid: number;
                    New: number;
                    Processing: number;
                    Settled: number;
                };
                /** @description `PaidAfterExpiration` */
                late: number;
                /** @description Settled, of those that are Settled, Expired or Invalid; null without one. */
                paidPercent: number | null;
                /** @description `Underpaid` */
                partial: number;
                /** @description Payments that were confirmed in the period. */
                received: {
                    /**
                     * @description In satoshi.
                     * @example 25000
                     */
                    lightningSats: number;
                    /**
                     * @description In satoshi.
                     * @example 25000
                     */
                    onchainSats: number;
                };
                /** @description In seconds; null without a Settled invoice. Of 100 invoices of each day at most, the newest. */
                secondsToPayment: {
                    median: number;
                    p95: number;
                } | null;
                /** @description In seconds; null without a Settled invoice. Of 100 invoices of each day at most, the newest. */
                secondsToSettled: {
                    median: number;
                    p95: number;
                } | null;
                /** @description The prices of the Settled invoices: a sum for each currency, and what was due in satoshi. */
                sold: {
                    amount: string;
                    currency: string;
                    /**
                     * @description In satoshi.
                     * @example 25000
                     */
                    sats: number;
                }[];
            };
        };
        /**
         * @example {
         *       "resolution": "refunded",
         *       "refund": {
         *         "type": "BTC-CHAIN",
         *         "reference": "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16",
         *         "amountSats": 10000
         *       },
         *       "note": "Agreed by mail."
         *     }
         */
        ResolveReview: {
            note?: string;
            /** @description The review's `receivedSats` that you decided about: if more has come since, the answer is 409 `review-changed`. */
            receivedSats?: number;
            /** @description What your own wallet sent. This service sends no money. */
            refund?: {
                /** @description Without the fee; at most what came. */
                amountSats: number;
                /** @description The txid of a `BTC-CHAIN` refund, the payment hash of a `BTC-LN` one. */
                reference: string;
                /** @enum {string} */
                type: "BTC-CHAIN" | "BTC-LN";
            };
            /**
             * @description `fulfilled`: the order is delivered. `refunded`: with `refund`. `kept`: the customer agreed, or did not answer. `written-off`: nothing can be done.
             * @enum {string}
             */
            resolution: "fulfilled" | "refunded" | "kept" | "written-off";
        };
        /**
         * @description An invoice that waits for a person's decision, and the decision.
         * @example {
         *       "reviewId": "rev_6Bn3kWgT9xRzPm4VyCsJdH",
         *       "invoiceId": "inv_7Yt3kQm9ZxWvB2nRcLsDfH",
         *       "orderId": "A-1001",
         *       "reason": "overpaid",
         *       "suggestion": "The order is paid and can be fulfilled. Refund the excess, or keep it if the customer agrees.",
         *       "status": "Settled",
         *       "additionalStatus": "Overpaid",
         *       "amount": "25000",
         *       "currency": "SATS",
         *       "dueSats": 25000,
         *       "receivedSats": 35000,
         *       "receivedAmount": null,
         *       "confirmedSats": 35000,
         *       "lastPaidAt": "2026-03-01T12:03:10.000Z",
         *       "refundAddress": null,
         *       "createdAt": "2026-03-01T12:14:52.000Z",
         *       "resolvedAt": null,
         *       "resolution": null,
         *       "note": null,
         *       "refund": null
         *     }
         */
        Review: {
            additionalStatus: components["schemas"]["AdditionalStatus"];
            amount: string;
            /**
             * @description What is confirmed now, in satoshi.
             * @example 25000
             */
            confirmedSats: number;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            createdAt: string;
            currency: string;
            /**
             * @description The price in satoshi.
             * @example 25000
             */
            dueSats: number;
            /** @example inv_7Yt3kQm9ZxWvB2nRcLsDfH */
            invoiceId: string;
            /**
             * Format: date-time
             * @description When the newest of these payments was first seen.
             * @example 2026-03-01T12:00:00.000Z
             */
            lastPaidAt: string;
            note: string | null;
            orderId: string;
            /**
             * @description `paid-late`: the price was paid after the expiry. `overpaid`: more than the price is confirmed. `underpaid`: the invoice expired with only a part paid. `paid-invalid`: money came to an invoice that is Invalid. `paid-archived`: an archived invoice was paid.
             * @enum {string}
             */
            reason: "paid-late" | "overpaid" | "underpaid" | "paid-invalid" | "paid-archived";
            /** @description `receivedSats` in `currency` at the invoice's rate; null if the price is in bitcoin. */
            receivedAmount: string | null;
            /**
             * @description What has come, confirmed or not, in satoshi.
             * @example 25000
             */
            receivedSats: number;
            refund: {
                /** @description Whether `amountSats` is not among them: you may have entered another amount, or transaction. */
                amountDiffers: boolean | null;
                /**
                 * @description In satoshi.
                 * @example 25000
                 */
                amountSats: number;
                /**
                 * Format: date-time
                 * @example 2026-03-01T12:00:00.000Z
                 */
                checkedAt: string;
                /** @description What it pays to `refundAddress`; where that is nothing, or none was left, its output of `amountSats` or, without one, its first sixteen outputs. Null: not known. */
                paidSats: number[] | null;
                /** @description Whether it pays the customer's `refundAddress`; null if none was left, or it is not known. */
                paysRefundAddress: boolean | null;
                /** @description Txid or payment hash. */
                reference: string;
                /**
                 * @description What the node knew of the transaction at `checkedAt`. `unchecked`: it did not answer, or the refund was sent by Lightning. `not-found`: in neither mempool nor chain, or its outputs are spent.
                 * @enum {string}
                 */
                state: "unchecked" | "not-found" | "unconfirmed" | "confirmed";
                /** @enum {string} */
                type: "BTC-CHAIN" | "BTC-LN";
            } | null;
            /** @description Left on the checkout by anybody who had its link; null if none was. */
            refundAddress: string | null;
            resolution: ("fulfilled" | "refunded" | "kept" | "written-off") | null;
            resolvedAt: string | null;
            /** @example rev_6Bn3kWgT9xRzPm4VyCsJdH */
            reviewId: string;
            status: components["schemas"]["InvoiceStatus"];
            /** @description What a merchant usually does, for people. */
            suggestion: string;
        };
        ReviewPage: {
            data: components["schemas"]["Review"][];
            /**
             * @description Send it as `cursor` to get the next items; null at the end of the list.
             * @example null
             */
            nextCursor: string | null;
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
         *       "explorerTxUrl": null,
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
            /** @description The operator's block explorer: with a transaction's id after it, its page. Null: none. */
            explorerTxUrl: string | null;
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
            /** @description Whether the node has the whole chain. */
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
         *       "sellerDetails": "Tea shop Ltd\n1 Harbour Road, Dublin\nVAT IE1234567X",
         *       "defaultCurrency": "EUR",
         *       "timeZone": "Europe/Dublin",
         *       "effectiveTimeZone": "Europe/Dublin",
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
         *       "maxInvoiceSats": 100000000,
         *       "redirectAutomatically": false,
         *       "receiptsByMail": false,
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
             * @description Websites that may show the checkout in a frame, as `modal.js` does: exact origins, https on mainnet.
             * @example [
             *       "https://shop.example"
             *     ]
             */
            checkoutOrigins: string[];
            /** @description The highest tier that the price exceeds applies. */
            confirmationTiers: {
                /**
                 * @description An invoice of more than this, in satoshi, needs `confirmations`.
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
            /** @description The currency of invoices created without one. */
            defaultCurrency: string;
            /** @description `timeZone`; UTC if the server's version of Node does not know it, until you choose another or the server is updated. */
            effectiveTimeZone: string;
            expiresInSeconds: number;
            /** @description Whether an invoice gets its on-chain address only when its checkout is first opened or `activateOnchain` is called; an invoice that nobody opens uses none. False: at creation. */
            lazyAddresses: boolean;
            maxInvoiceSats: number | null;
            /** @description How long after its expiry late payments still change an invoice. */
            monitoringSeconds: number;
            name: string;
            /** @description How much less than the price is accepted, in per cent. */
            paymentTolerance: number;
            /** @description Whether BOLT11s include route hints for the Lightning node's private channels: for a node without public channels. */
            privateRouteHints: boolean;
            /** @description Null: all of the server's sources. */
            rateSources: string[] | null;
            /** @description Subtracted from the exchange rate, in per cent: the customer pays that much more. */
            rateSpread: number;
            /** @description Whether customers can ask for a receipt by mail on the checkout. The server needs a mail server. */
            receiptsByMail: boolean;
            redirectAutomatically: boolean;
            requiredConfirmations: number;
            /** @description The seller's address, tax number and the like, in lines: shown on receipts. */
            sellerDetails: string | null;
            /**
             * @description The store that the key belongs to.
             * @example 4wBqpZM9k2mAgN8rTzZy7VdQ3hUuFLcXeJ5sRtGbKoPq
             */
            storeId: string;
            /** @description Where customers get help. */
            supportUrl: string | null;
            /** @description IANA name. Books, reports, summaries, payment links and the home page count days and months in it. */
            timeZone: string;
            /** @description Whether API keys may replace and remove the store's wallet and change its `startIndex`. It can only be changed in the dashboard. */
            walletChangesByKey: boolean;
            website: string | null;
            zeroConfMaxSats: number | null;
        };
        /**
         * @example {
         *       "type": "BTC-LN",
         *       "node": "store",
         *       "address": "node.example.com:10009",
         *       "nodeKey": "02eec7245d6b7d2ccb30380bfbe2a3648cd7a942653f5aa340edcea1f283686619",
         *       "network": "mainnet",
         *       "state": "available",
         *       "problem": null,
         *       "receivableSats": 2500000,
         *       "certificateExpiresAt": "2027-04-01T09:00:00.000Z",
         *       "createdAt": "2026-02-01T09:00:00.000Z"
         *     }
         */
        StoreLightning: {
            /** @description Null for the server's node. */
            address: string | null;
            /** @description Of the certificate that was given. */
            certificateExpiresAt: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            createdAt: string;
            network: string | null;
            /**
             * @description Where the payments go: `store`, the LND that its owners connected; `server`, the operator's, who holds the money until it is paid out.
             * @enum {string}
             */
            node: "store" | "server";
            /** @description The node's public key. No other is used under its address. */
            nodeKey: string | null;
            /** @description Why it is not available, or what it does not show. */
            problem: string | null;
            /** @description What its active channels can receive, in satoshi; null if it does not show that. */
            receivableSats: number | null;
            /**
             * @description `other-node`: another node answers at its address, and is not used until an owner confirms it in the dashboard. `unchecked`: just connected.
             * @enum {string}
             */
            state: "available" | "unavailable" | "other-node" | "unchecked";
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
            /** @description Whether new invoices get addresses of this wallet. */
            available: boolean;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            createdAt: string;
            /** @description The fingerprint of the account key (BIP 32), which itself is not shown; most wallets show the master key's, which is another. Null while the wallet is not `available`. */
            fingerprint: string | null;
            /** @description The index of the last address that was paid; null if none of the last 10,000 was. */
            highestPaidIndex: number | null;
            /** @description The index of the next address. Stores with the same wallet share it. */
            nextIndex: number;
            /**
             * @description Why it is not available: the wallet in the database is not the one that was set here. Set it again, and find out who changed the database.
             * @constant
             */
            reason?: "not-authentic";
            /**
             * @description The type of the wallet's addresses.
             * @example wpkh
             * @enum {string}
             */
            scriptType: "wpkh" | "tr" | "sh-wpkh" | "pkh";
            /** @constant */
            type: "BTC-CHAIN";
            /** @description How many addresses come after it, up to the last that was given out (without a paid one, from the first): none was paid, and skipped ones count. Your own wallet scans 20 addresses ahead by default (its gap limit): if this number is higher, raise the gap limit, or your wallet may not show payments to the latest addresses. */
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
         *       "fingerprint": "fd13aac9",
         *       "origin": "73c5da0a/84h/0h/0h",
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
                 * @description The path below the account key.
                 * @example 0/0
                 */
                path: string;
            }[];
            /** @description The fingerprint of the account key (BIP 32). */
            fingerprint: string;
            /** @description The master key's fingerprint, which wallets show, and the account's path; null if the text did not contain them. */
            origin: string | null;
            /**
             * @description The type of the wallet's addresses.
             * @example wpkh
             * @enum {string}
             */
            scriptType: "wpkh" | "tr" | "sh-wpkh" | "pkh";
        };
        /**
         * @example {
         *       "webhookId": "wh_5Jd8sPqX4mTzRw9KbNvCfY",
         *       "url": "https://shop.example/hooks/bitcoin",
         *       "dialect": "native",
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
            /** @description The e-mail address of that user, shown to owners in the dashboard; null for API keys. */
            createdByEmail: string | null;
            /** @description The user who created it or, if an API key created it, that key's creator; null for the command line. */
            createdByUserId: string | null;
            /**
             * @description `greenfield`: a shop plugin's webhook, with the events, signature and redelivery of that dialect.
             * @enum {string}
             */
            dialect: "native" | "greenfield";
            enabled: boolean;
            /** @description The events that the webhook receives; empty for a shop plugin's, which has events of its own. */
            events: components["schemas"]["EventType"][];
            /** @description How many deliveries in a row have failed. */
            failureStreak: number;
            /** @description Viewers in the dashboard see only the origin and `/…`: the path may be a secret. */
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
            /** @description The invoice's metadata when the event was created. It always has an `orderId`. */
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
         *       "dialect": "native",
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
            /** @description The e-mail address of that user, shown to owners in the dashboard; null for API keys. */
            createdByEmail: string | null;
            /** @description The user who created it or, if an API key created it, that key's creator; null for the command line. */
            createdByUserId: string | null;
            /**
             * @description `greenfield`: a shop plugin's webhook, with the events, signature and redelivery of that dialect.
             * @enum {string}
             */
            dialect: "native" | "greenfield";
            enabled: boolean;
            /** @description The events that the webhook receives; empty for a shop plugin's, which has events of its own. */
            events: components["schemas"]["EventType"][];
            /** @description How many deliveries in a row have failed. */
            failureStreak: number;
            /** @description The key of the webhook's signatures. Shown in this response only. */
            secret: string;
            /** @description Viewers in the dashboard see only the origin and `/…`: the path may be a secret. */
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
        /** @description `payment-link-not-found`: Payment link not found. */
        PaymentLinkNotFound: {
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
        /** @description `plugin-key`: This API key is for shop plugins. */
        PluginKey: {
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
        /** @description `review-not-found`: Review not found. */
        ReviewNotFound: {
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
        /** @description Present if the response is that of an earlier request with the same key. */
        IdempotencyReplayed: "true";
        /** @description How many requests are left (`r`), and after how many seconds more are allowed (`t`). */
        RateLimit: string;
        /** @description How many requests (`q`) are allowed in how many seconds (`w`). */
        RateLimitPolicy: string;
        /** @description Identifies the request in the service's log. */
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
            /** @description The same body, while the service is not healthy. */
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
            403: components["responses"]["PluginKey"];
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
            403: components["responses"]["PluginKey"];
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
                /** @description The maximum number of items to return; 50 by default. A response ends after 2 MiB, so it can have fewer items although there are more: rely on `nextCursor`. */
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
    listApiKeys: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the previous response. */
                cursor?: string;
                /** @description The maximum number of items to return; 50 by default. A response ends after 2 MiB, so it can have fewer items although there are more: rely on `nextCursor`. */
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            query?: {
                /** @description What happens to the webhooks whose present URL was set by one of the deleted keys: `keep` (default) or `delete`. */
                webhooks?: "keep" | "delete";
            };
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `store-mismatch`: No access to this store.
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
                /** @description Return events after this position; from the beginning if omitted, new ones alone with `latest`. A position that the feed does not have (any more, after a restore from a backup) is refused with 422, which names the one to continue from. */
                after?: string;
                /** @description The maximum number of items to return; 50 by default. A response ends after 2 MiB, so it can have fewer items although there are more: rely on `nextCursor`. */
                limit?: number;
                /** @description How many seconds to wait for an event if there is none yet. */
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `store-mismatch`: No access to this store.
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
    listInvoices: {
        parameters: {
            query?: {
                additionalStatus?: ("None" | "Underpaid" | "Overpaid" | "PaidAfterExpiration")[];
                /** @description `false`: the invoices that are not archived. `true`: the archived ones only. */
                archived?: "true" | "false";
                /** @description RFC 3339, inclusive; or a day in the store's `timeZone`. */
                createdFrom?: string;
                /** @description RFC 3339, exclusive; or a day, which is included. */
                createdTo?: string;
                /** @description The `nextCursor` of the previous response. */
                cursor?: string;
                /** @description The maximum number of items to return; 50 by default. A response ends after 2 MiB, so it can have fewer items although there are more: rely on `nextCursor`. */
                limit?: number;
                orderId?: string;
                /** @description Exactly an order id, invoice id, address, txid or payment hash. */
                q?: string;
                /** @description Words in any case, each a part of the order id or the description, or an amount (`49.90`, `€49,90`, `49.9 EUR`); or what `q` finds. */
                search?: string;
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `store-mismatch`: No access to this store.
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
    createInvoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of your choice, unique for each operation. For 24 hours, a request with the same key and body gets the first response again, with the header Idempotency-Replayed; another body gets `idempotency-conflict`. */
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            404: components["responses"]["InvoiceNotFound"];
            409: components["responses"]["LimitReached"];
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            404: components["responses"]["InvoiceNotFound"];
            409: components["responses"]["LimitReached"];
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
                /** @description The maximum number of items to return; 50 by default. A response ends after 2 MiB, so it can have fewer items although there are more: rely on `nextCursor`. */
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            404: components["responses"]["InvoiceNotFound"];
            /**
             * @description `invalid-transition`: The invoice's status does not allow this.
             *
             *     `limit-reached`: Limit reached.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            404: components["responses"]["InvoiceNotFound"];
            409: components["responses"]["LimitReached"];
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
                /** @description `false`: the invoices that are not archived. `true`: the archived ones only. */
                archived?: "true" | "false";
                /** @description RFC 3339, inclusive; or a day in the store's `timeZone`. */
                createdFrom?: string;
                /** @description RFC 3339, exclusive; or a day, which is included. */
                createdTo?: string;
                format?: "csv" | "json";
                orderId?: string;
                /** @description Exactly an order id, invoice id, address, txid or payment hash. */
                q?: string;
                /** @description Words in any case, each a part of the order id or the description, or an amount (`49.90`, `€49,90`, `49.9 EUR`); or what `q` finds. */
                search?: string;
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `store-mismatch`: No access to this store.
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
    listPaymentLinks: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the previous response. */
                cursor?: string;
                /** @description The maximum number of items to return; 50 by default. A response ends after 2 MiB, so it can have fewer items although there are more: rely on `nextCursor`. */
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
                    "application/json": components["schemas"]["PaymentLinkPage"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
    createPaymentLink: {
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
                "application/json": components["schemas"]["CreatePaymentLink"];
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
                    "application/json": components["schemas"]["PaymentLink"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            409: components["responses"]["LimitReached"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    readPaymentLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                linkId: string;
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
                    "application/json": components["schemas"]["PaymentLink"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            404: components["responses"]["PaymentLinkNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deletePaymentLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                linkId: string;
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
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            404: components["responses"]["PaymentLinkNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changePaymentLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                linkId: string;
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangePaymentLink"];
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
                    "application/json": components["schemas"]["PaymentLink"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            404: components["responses"]["PaymentLinkNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    archivePaymentLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                linkId: string;
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
                    "application/json": components["schemas"]["PaymentLink"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            404: components["responses"]["PaymentLinkNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    unarchivePaymentLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                linkId: string;
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
                    "application/json": components["schemas"]["PaymentLink"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            404: components["responses"]["PaymentLinkNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
                    "application/json": components["schemas"]["StoreLightning"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
    connectLightning: {
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
                "application/json": components["schemas"]["ConnectLightning"];
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
                    "application/json": components["schemas"]["StoreLightning"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
             *
             *     `admin-only`: Server admins only.
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
            /**
             * @description `limit-reached`: Limit reached.
             *
             *     `wallet-in-use`: Another store uses this wallet.
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
    removeLightning: {
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
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
             *
             *     `admin-only`: Server admins only.
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
    checkLightning: {
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
                "application/json": components["schemas"]["CheckLightning"];
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
                    "application/json": components["schemas"]["LightningCheck"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            404: components["responses"]["PaymentMethodNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPayments: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the previous response. */
                cursor?: string;
                /** @description The first day in the store's `timeZone`. Default: all. */
                from?: string;
                /** @description The maximum number of items to return; 50 by default. A response ends after 2 MiB, so it can have fewer items although there are more: rely on `nextCursor`. */
                limit?: number;
                /** @description The last day, which is included. */
                to?: string;
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
                    "application/json": components["schemas"]["LedgerPage"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
    exportPayments: {
        parameters: {
            query?: {
                format?: "csv" | "json";
                /** @description The first day in the store's `timeZone`. Default: all. */
                from?: string;
                /** @description The last day, which is included. */
                to?: string;
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
                    "application/json": components["schemas"]["LedgerExport"];
                    "text/csv": string;
                };
            };
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
    sumPayments: {
        parameters: {
            query?: {
                /** @description The first day in the store's `timeZone`. Default: all. */
                from?: string;
                /** @description The last day, which is included. */
                to?: string;
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
                    "application/json": components["schemas"]["LedgerSums"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `store-mismatch`: No access to this store.
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
    readReport: {
        parameters: {
            query: {
                /** @description Weeks begin on Monday. At most 400 periods. */
                by?: "day" | "week" | "month";
                /** @description The first day. */
                from: string;
                /** @description An IANA name such as `Europe/Berlin`. Default: the store's. */
                timeZone?: string;
                /** @description The last day, which is included. */
                to: string;
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
                    "application/json": components["schemas"]["Report"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
    listReviews: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the previous response. */
                cursor?: string;
                /** @description The maximum number of items to return; 50 by default. A response ends after 2 MiB, so it can have fewer items although there are more: rely on `nextCursor`. */
                limit?: number;
                /** @description `open`: what waits for a decision, oldest first. `resolved`: the decisions, newest first. */
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
                    "application/json": components["schemas"]["ReviewPage"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
    checkRefund: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                reviewId: string;
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
                    "application/json": components["schemas"]["Review"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            404: components["responses"]["ReviewNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    resolveReview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                reviewId: string;
                /** @description The store that the key belongs to. */
                storeId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolveReview"];
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
                    "application/json": components["schemas"]["Review"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            404: components["responses"]["ReviewNotFound"];
            /**
             * @description `review-resolved`: The review is already resolved.
             *
             *     `review-changed`: More was paid meanwhile.
             *
             *     `refund-recorded`: The refund is recorded already.
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
    listWebhooks: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the previous response. */
                cursor?: string;
                /** @description The maximum number of items to return; 50 by default. A response ends after 2 MiB, so it can have fewer items although there are more: rely on `nextCursor`. */
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
                /** @description The maximum number of items to return; 50 by default. A response ends after 2 MiB, so it can have fewer items although there are more: rely on `nextCursor`. */
                limit?: number;
                /** @description RFC 3339, inclusive; or a day in the store's `timeZone`. */
                since?: string;
                state?: "pending" | "sending" | "delivered" | "failed" | "skipped";
                type?: "New" | "Processing" | "Settled" | "Expired" | "Invalid";
                /** @description RFC 3339, exclusive; or a day, which is included. */
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
            /**
             * @description `plugin-key`: This API key is for shop plugins.
             *
             *     `permission-missing`: This API key's access does not allow this.
             *
             *     `store-mismatch`: No access to this store.
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
                /** @description `v1,` and the base64 HMAC-SHA256 of `webhook-id.webhook-timestamp.body`. The key is the decoded base64 after `whsec_`. While a secret is rotated there are two signatures, separated by a space; one match is enough (Standard Webhooks). */
                "webhook-signature": string;
                /** @description The Unix time of this attempt in seconds. Refuse old timestamps (Standard Webhooks). */
                "webhook-timestamp": string;
                /** @description 1 for the automatic attempt, plus 1 for each redelivery. */
                "x-service-attempt": string;
                /** @description The id of the delivery, as in the API. */
                "x-service-delivery-id": string;
                /** @description The event's id, the same at every redelivery. An order can have two `Settled` events: skip it if it is already marked as paid. */
                "x-service-event-id": string;
                /** @description `sha256=` and the hex HMAC-SHA256 of the raw body. The key is the whole text of the secret, including `whsec_`. */
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
