/** Where in the interface a page address leads. */
export type Place =
  | { readonly kind: "home" }
  | { readonly kind: "room"; readonly code: string; readonly joinSecret: string | null };

/** The first part of the path is the room's code, the fragment `#join=` a join link's secret. */
export function placeOf(pathname: string, hash: string): Place {
  const code = decode(pathname.split("/").find((part) => part !== "") ?? "");
  if (code === "") return { kind: "home" };
  const joinSecret = new URLSearchParams(hash.replace(/^#/, "")).get("join");
  return { kind: "room", code: code.toLowerCase(), joinSecret: joinSecret || null };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * The path that somebody means who types a code, spells it without hyphens, or pastes a whole
 * link; null when it is none of these.
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
