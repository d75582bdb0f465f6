import type { Output } from "mediabunny";

/** The internals of mediabunny 1.61.0's output of fragmented MP4. */
interface Muxer {
  readonly finalizedChunks?: unknown[];
  readonly trackDatas?: readonly { readonly finalizedChunks?: unknown[] }[];
}

/**
 * Makes an output forget the fragments it has written. It keeps a description of every sample for a
 * table at the end of the file, some 35 MB in an hour. A recording in parts has no such table.
 */
export function forgetWritten(output: Output): void {
  const { _muxer: muxer } = output as unknown as { readonly _muxer?: Muxer };
  for (const keeper of [muxer, ...(muxer?.trackDatas ?? [])]) {
    if (keeper?.finalizedChunks) keeper.finalizedChunks.length = 0;
  }
}
