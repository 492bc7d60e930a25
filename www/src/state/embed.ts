// The handshake with a page that embeds or opens this one, as Perfetto's: the other page sends "PING"
// until it hears "PONG", then { hbmlens: { buffer, title } }. A buffer from an unknown origin is taken
// only after the user has agreed.

import { Store } from "./store";

export interface Offer {
  origin: string;
  title: string;
  buffer: ArrayBuffer;
}

/** An offer that waits for the user's answer. */
export const offer = new Store<Offer | null>(null);

const trusted = new Set<string>();

export function listenForOffers(accept: (offer: Offer) => void): void {
  if (location.origin !== "null" && location.protocol !== "file:") trusted.add(location.origin);
  addEventListener("message", (event: MessageEvent<unknown>) => {
    if (event.source === window) return;
    if (event.data === "PING") {
      // "PONG" tells nothing but that this page listens, so any origin may hear it.
      (event.source as Window | null)?.postMessage("PONG", { targetOrigin: "*" });
      return;
    }
    const inner = (event.data as { hbmlens?: unknown; perfetto?: unknown } | null)?.hbmlens ?? (event.data as { perfetto?: unknown } | null)?.perfetto;
    if (typeof inner !== "object" || inner === null) return;
    const { buffer, title } = inner as { buffer?: unknown; title?: unknown };
    if (!(buffer instanceof ArrayBuffer)) return;
    const made: Offer = { origin: event.origin, title: typeof title === "string" && title ? title.slice(0, 200) : "buffer", buffer };
    // Every file:// page calls itself "null": that origin is never remembered.
    if (trusted.has(event.origin)) accept(made);
    else offer.set(made);
  });
}

export function answer(accept: ((offer: Offer) => void) | null, remember: boolean): void {
  const made = offer.value;
  offer.set(null);
  if (!made || !accept) return;
  if (remember && made.origin !== "null") trusted.add(made.origin);
  accept(made);
}
