import type { Person } from "./people";

/** How often a page looks for a new picture, in milliseconds. */
const lookEvery = 10;

declare global {
  interface Window {
    longestGap: () => number;
  }
}

/** Begins to watch in a page for how long no new picture of another person is shown. */
export async function watchPictures(person: Person, name: string): Promise<void> {
  await person.page.evaluate(watch, { name, lookEvery });
}

/** The longest time without a new picture since the last call, in milliseconds. */
export function longestGap(person: Person): Promise<number> {
  return person.page.evaluate(() => window.longestGap());
}

/** Runs in the page. */
function watch({ name, lookEvery }: { name: string; lookEvery: number }): void {
  let [shown, longest] = [performance.now(), 0];
  let video: HTMLVideoElement | null = null;
  let pictures = 0;
  setInterval(() => {
    const now = document.querySelector<HTMLVideoElement>(`[aria-label="${name}"] video`);
    const count = now?.getVideoPlaybackQuality().totalVideoFrames ?? 0;
    // A new element, or a new stream in the same element, counts from zero.
    if (count > 0 && (now !== video || count !== pictures)) {
      longest = Math.max(longest, performance.now() - shown);
      shown = performance.now();
    }
    [video, pictures] = [now, count];
  }, lookEvery);
  window.longestGap = () => {
    const gap = Math.max(longest, performance.now() - shown);
    longest = 0;
    return gap;
  };
}
