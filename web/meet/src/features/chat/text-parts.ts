export interface TextPart {
  readonly kind: "text" | "link";
  readonly text: string;
  /** Where it begins in the message; tells equal parts apart. */
  readonly at: number;
}

const link = /https?:\/\/[^\s<>"']+/giu;
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
