import { browserStore, type Door, Entrance } from "@conclave/client/door";
import { placeOf } from "./address";

/**
 * Looks up the room of this page. The build makes this module a script of its own, so that the
 * service answers while the rest of the page is still on its way. Null on other pages.
 */
export const firstLook: Promise<Door> | null = look(window.location);

function look({ origin, pathname, search, hash }: Location): Promise<Door> | null {
  const place = placeOf(pathname, search, hash);
  if (place.kind !== "room") return null;
  const [store, lasting] = [browserStore("session"), browserStore("local")];
  const entrance = new Entrance({ ...place, baseUrl: origin, store, lasting });
  const door = entrance.lookUp();
  door.catch(() => undefined); // The page reads the refusal once it is there.
  return door;
}
