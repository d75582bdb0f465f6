import type { Page } from "playwright-core";

declare global {
  interface Window {
    /** When the claps began, in milliseconds since 1970. A page that is kept from its work leaves some out. */
    readonly clapTimes: readonly number[];
  }
}

/**
 * Runs in the page: a camera and a microphone that clap. Every second the picture is white and a
 * tone sounds, both for a fifth of a second.
 */
export function playClapper(): void {
  const clapTimes: number[] = [];
  Object.assign(window, { clapTimes });
  navigator.mediaDevices.getUserMedia = async (constraints) => {
    const canvas = document.createElement("canvas");
    // Small, so that a busy machine is not kept busy by it.
    canvas.width = 640;
    canvas.height = 360;
    const context = canvas.getContext("2d", { desynchronized: true });
    const sound = new AudioContext({ latencyHint: "interactive" });
    const tone = new OscillatorNode(sound, { frequency: 1000 });
    const volume = new GainNode(sound, { gain: 0 });
    const out = sound.createMediaStreamDestination();
    tone.connect(volume).connect(out);
    tone.start();
    // Browsers start no sound before the person has clicked.
    document.addEventListener("click", () => void sound.resume(), true);
    let frame = 0;
    setInterval(() => {
      frame += 1;
      const isLoud = Date.now() % 1000 < 200;
      // Every device that the page asks for claps, all at once.
      if (isLoud && Date.now() - (clapTimes.at(-1) ?? 0) > 500) clapTimes.push(Date.now());
      volume.gain.value = isLoud ? 0.5 : 0;
      if (!context) return;
      context.fillStyle = isLoud ? "white" : "black";
      context.fillRect(0, 0, 640, 360);
      // Something that moves, so that every picture differs.
      context.fillStyle = "gray";
      context.fillRect((frame * 4) % 640, 350, 4, 10);
    }, 20);
    const tracks = [
      ...(constraints?.video ? canvas.captureStream(30).getTracks() : []),
      ...(constraints?.audio ? out.stream.getTracks() : []),
    ];
    return new MediaStream(tracks);
  };
}

/** How often a page clapped between two times, given in milliseconds since 1970. */
export async function clapsBetween(page: Page, from: number, to: number): Promise<number> {
  const clapTimes = await page.evaluate(() => window.clapTimes);
  return clapTimes.filter((at) => at > from && at < to).length;
}
