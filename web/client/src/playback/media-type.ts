import { BufferSource, Input, MP4, WEBM } from "mediabunny";

/**
 * The media type of a file with its codecs, such as `video/mp4; codecs="avc1.42c01f, mp4a.40.2"`,
 * read from the file's first part. Null when the part does not begin such a file.
 */
export async function mediaTypeOf(first: Uint8Array<ArrayBuffer>): Promise<string | null> {
  const input = new Input({ source: new BufferSource(first), formats: [MP4, WEBM] });
  try {
    return await input.getMimeType();
  } catch {
    return null;
  } finally {
    input.dispose();
  }
}
