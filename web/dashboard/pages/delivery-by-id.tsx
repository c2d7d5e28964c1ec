import { useQuery } from "@tanstack/react-query";
import { Navigate, useParams } from "@tanstack/react-router";
import { apiQuery } from "../api/queries";
import type { PlaceOfDelivery } from "../api/shapes";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";

/** The queues' board knows only its id. */
export function DeliveryByIdPage() {
  const { deliveryId } = useParams({ from: "/inside/deliveries/$deliveryId" });
  const found = useQuery(apiQuery<PlaceOfDelivery>(`/deliveries/${deliveryId}`));
  return (
    <Page title="Delivery">
      <Loaded query={found}>
        {(place) => (
          <Navigate
            to="/stores/$storeId/webhooks/$webhookId/deliveries/$deliveryId"
            params={{ ...place, deliveryId }}
            replace
          />
        )}
      </Loaded>
    </Page>
  );
}
