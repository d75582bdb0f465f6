import type { Person } from "./people";

/** Milliseconds from now until a picture of each of the others is shown, in their order. */
export function untilShown(person: Person, others: readonly Person[]): Promise<number[]> {
  return person.page.evaluate(
    async (names) => {
      const began = performance.now();
      const isShown = (name: string) => {
        const video = document.querySelector<HTMLVideoElement>(`[aria-label="${name}"] video`);
        return (video?.getVideoPlaybackQuality().totalVideoFrames ?? 0) > 0;
      };
      const until = async (name: string) => {
        while (!isShown(name)) await new Promise((resolve) => setTimeout(resolve, 5));
        return performance.now() - began;
      };
      return Promise.all(names.map(until));
    },
    others.map(({ name }) => name),
  );
}
