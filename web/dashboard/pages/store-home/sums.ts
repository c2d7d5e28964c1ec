import type { StoreHome } from "../../api/home";

type Received = StoreHome["received"];

const ofDay = ({ onchainSats, lightningSats }: Received[number]): number => onchainSats + lightningSats;

export const receivedIn = (received: Received): number => received.reduce((sum, day) => sum + ofDay(day), 0);

export function bestDay(received: Received): { day: string; sats: number } | null {
  const best = received.reduce<{ day: string; sats: number } | null>((most, one) => {
    const sats = ofDay(one);
    return sats > (most?.sats ?? 0) ? { day: one.day, sats } : most;
  }, null);
  return best;
}
