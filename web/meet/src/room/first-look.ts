import { browserStore, Entrance, type LookUp } from "@conclave/client/pre-join";
import { placeOf } from "./address";

/**
 * Looks up the room of this page. The build makes this module a script of its own, so that the
 * service answers while the rest of the page is still on its way. Null on other pages.
 */
export const firstLook: Promise<LookUp> | null = look(window.location);

function look({ origin, pathname, search, hash }: Location): Promise<LookUp> | null {
  const place = placeOf(pathname, search, hash);
  if (place.kind !== "room") return null;
  const [store, lasting] = [browserStore("session"), browserStore("local")];
  const entrance = new Entrance({ ...place, baseUrl: origin, store, lasting });
  const lookUp = entrance.lookUp();
  lookUp.catch(() => undefined); // The page reads the refusal once it is there.
  return lookUp;
}
