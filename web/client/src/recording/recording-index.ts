/**
 * The index of a recording: when each part begins and where in the file, so that a player can seek
 * without fetching everything before (docs/reference/recordings.md, "Format of a part").
 */
export interface RecordingIndex {
  readonly version: 1;
  /** For each part: when it begins, in milliseconds, and the position of its first byte. */
  readonly parts: readonly (readonly [milliseconds: number, offset: number])[];
}

export function encodeIndex(parts: RecordingIndex["parts"]): Uint8Array<ArrayBuffer> {
  const index: RecordingIndex = { version: 1, parts };
  return new TextEncoder().encode(JSON.stringify(index));
}

/** Null for an unknown format, because a recording plays without its index too. */
export function decodeIndex(plain: Uint8Array): RecordingIndex | null {
  try {
    const index = JSON.parse(new TextDecoder().decode(plain)) as RecordingIndex | null;
    return index?.version === 1 && index.parts.every(isEntry) ? index : null;
  } catch {
    return null;
  }
}

function isEntry(entry: unknown): boolean {
  return Array.isArray(entry) && entry.length === 2 && entry.every(Number.isSafeInteger);
}
