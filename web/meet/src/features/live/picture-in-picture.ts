/**
 * Returns a function that shows the largest picture of another person in the browser's small
 * window; null if the browser has no such window. The picture is chosen when the function is
 * called.
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
