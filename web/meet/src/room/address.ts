/** The page that an address leads to. */
export type Place = OtherPlace | RoomPlace;

/** A page that is not a room's. */
export type OtherPlace =
  | { readonly kind: "home" }
  /** No page has this address. */
  | { readonly kind: "missing" }
  | { readonly kind: "recordings" }
  | {
      readonly kind: "connection-test";
      /** The room that the person comes from; null for none. */
      readonly code: string | null;
      readonly joinSecret: string | null;
    }
  | {
      readonly kind: "sign-in";
      readonly next: string;
      /** The secret part of the link to which `next` leads back. */
      readonly linkSecret: string | null;
      readonly problem: string | null;
    }
  | { readonly kind: "account"; readonly problem: string | null }
  | { readonly kind: "invitation"; readonly secret: string };

export interface RoomPlace {
  readonly kind: "room";
  readonly code: string;
  /** Lets in the person of a join link. */
  readonly joinSecret: string | null;
  /** The secret part of a link to a strict room, which may be damaged. */
  readonly linkSecret: string | null;
}

/**
 * The path is a room's code or the name of a page, which cannot be a code. The
 * fragment holds secrets, because browsers do not send it: a join link's in `join=`, a strict
 * room's in `k=`, and an invitation's on /invitation. On /connection it also names the room.
 */
export function placeOf(pathname: string, search: string, hash: string): Place {
  const parts = pathname.split("/").filter((part) => part !== "");
  if (parts.length > 1) return { kind: "missing" };
  const code = decode(parts[0] ?? "");
  const fragment = hash.replace(/^#/, "");
  const fields = new URLSearchParams(fragment);
  switch (code) {
    case "":
      return { kind: "home" };
    case "recordings":
      return { kind: "recordings" };
    case "connection":
      return {
        kind: "connection-test",
        code: fields.get("room") || null,
        joinSecret: fields.get("join") || null,
      };
    case "sign-in": {
      const next = ownPath(new URLSearchParams(search).get("next"));
      return {
        kind: "sign-in",
        next,
        linkSecret: fields.get("k"),
        problem: fields.get("problem"),
      };
    }
    case "account":
      return { kind: "account", problem: fields.get("problem") };
    case "invitation":
      return { kind: "invitation", secret: fragment };
    default:
      return {
        kind: "room",
        code: code.toLowerCase(),
        joinSecret: fields.get("join") || null,
        linkSecret: fields.get("k"),
      };
  }
}

/**
 * The path if it is one of this service, or else the start page: a link must not lead to another
 * site.
 */
function ownPath(next: string | null): string {
  return next !== null && /^\/(?![/\\])[^\s\\]*$/.test(next) ? next : "/";
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * The path for a text that a person enters: a code, a code without hyphens, or a whole link; null
 * for anything else.
 */
export function pathFromInput(input: string, origin: string): string | null {
  const text = input.trim();
  if (text === "") return null;
  if (/^https?:\/\//i.test(text)) return pathFromLink(text, origin);
  const code = text.toLowerCase().replace(/^\/+|\/+$/g, "");
  if (/^[a-z0-9]{10}$/.test(code)) {
    return `/${code.slice(0, 3)}-${code.slice(3, 7)}-${code.slice(7)}`;
  }
  return /^[a-z0-9]+(-[a-z0-9]+)+$/.test(code) ? `/${code}` : null;
}

function pathFromLink(text: string, origin: string): string | null {
  let link: URL;
  try {
    link = new URL(text);
  } catch {
    return null;
  }
  if (link.origin !== origin || link.pathname === "/") return null;
  return `${link.pathname}${link.hash}`;
}

/** The page that tests the connection for a visitor of a room. */
export function connectionTestPath({
  code,
  joinSecret,
}: Pick<RoomPlace, "code" | "joinSecret">): string {
  const fields = new URLSearchParams({ room: code });
  if (joinSecret !== null) fields.set("join", joinSecret);
  return `/connection#${fields}`;
}
