import { Connection, type ClientOptions } from "./connection";
import { Events } from "./events";
import { Invoices } from "./invoices";
import { StoreSettings } from "./store";
import { Deliveries, Webhooks } from "./webhooks";

/** One store of a Quittance service. Safe to share; it holds no connection open. */
export class QuittanceClient {
  readonly invoices: Invoices;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly events: Events;
  readonly store: StoreSettings;

  constructor(options: ClientOptions) {
    const connection = new Connection(options);
    this.invoices = new Invoices(connection);
    this.webhooks = new Webhooks(connection);
    this.deliveries = new Deliveries(connection);
    this.events = new Events(connection);
    this.store = new StoreSettings(connection);
  }
}
