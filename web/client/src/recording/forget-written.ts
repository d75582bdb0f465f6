import type { Output } from "mediabunny";

/** What mediabunny 1.61.0 keeps inside of an output that writes a fragmented MP4. */
interface Muxer {
  readonly finalizedChunks?: unknown[];
  readonly trackDatas?: readonly { readonly finalizedChunks?: unknown[] }[];
}

/**
 * Has an output forget the fragments it has written. It keeps a description of every sample for a
 * table at the end of the file, which a recording in parts has not: some 35 MB in an hour.
 */
export function forgetWritten(output: Output): void {
  const { _muxer: muxer } = output as unknown as { readonly _muxer?: Muxer };
  for (const keeper of [muxer, ...(muxer?.trackDatas ?? [])]) {
    if (keeper?.finalizedChunks) keeper.finalizedChunks.length = 0;
  }
}
