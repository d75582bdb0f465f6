/**
 * Puts the largest picture of somebody else into the browser's small window; null where the
 * browser has none. Which picture that is, is known only when it is asked for.
 */
export function pictureInPictureOf(page: Document, onFailure: () => void): (() => void) | null {
  if (!page.pictureInPictureEnabled) return null;
  return () => {
    if (page.pictureInPictureElement) {
      void page.exitPictureInPicture().catch(onFailure);
      return;
    }
    const video = largestOf([
      ...page.querySelectorAll<HTMLVideoElement>(".tile[data-me='false'] video"),
    ]);
    if (!video) {
      onFailure();
      return;
    }
    void video.requestPictureInPicture().catch(onFailure);
  };
}

function largestOf(videos: readonly HTMLVideoElement[]): HTMLVideoElement | undefined {
  return [...videos].sort((a, b) => b.clientWidth - a.clientWidth)[0];
}
