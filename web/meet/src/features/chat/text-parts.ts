export interface TextPart {
  readonly kind: "text" | "link";
  readonly text: string;
  /** Where it begins in the message; tells equal parts apart. */
  readonly at: number;
}

/** An address ends at a control of writing direction, which would show it in another order. */
const link = /https?:\/\/[^\s<>"'\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/giu;
/** Punctuation that ends a sentence rather than an address. */
const trailing = /[.,;:!?)\]]+$/u;

/** Cuts a message into text and web addresses. Only http and https become links. */
export function textParts(message: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let done = 0;
  for (const match of message.matchAll(link)) {
    const address = match[0].replace(trailing, "");
    if (match.index > done) {
      parts.push({ kind: "text", text: message.slice(done, match.index), at: done });
    }
    parts.push({ kind: "link", text: address, at: match.index });
    done = match.index + address.length;
  }
  if (done < message.length) parts.push({ kind: "text", text: message.slice(done), at: done });
  return parts;
}
