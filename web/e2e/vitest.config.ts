import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files whose tests mostly wait, or show few pictures. They take about as long as the others, and
 * may run beside them (run.mjs).
 */
const light = [
  ...["account", "bundlers", "calendars", "custom", "firefox", "home", "lost-network", "members"],
  ...["networks", "own-tls", "polls", "pre-join", "recording-ends", "recording-slow"],
  ...["recordings-page", "relay", "rolling", "service-side", "small-screens", "stock"],
  ...["strict-downgrade", "visits", "webinar"],
].map((name) => `e2e/${name}.e2e.ts`);

/** "light", "heavy", or nothing for all. */
const part = process.env["E2E_PART"];

/**
 * Begins with the recordings: sound and pictures keep together in them while nothing else uses the
 * processors, as at the beginning of the first part (run.mjs).
 */
class RecordingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isFirst = ({ moduleId }: TestSpecification) => moduleId.endsWith("/recording.e2e.ts");
    const sorted = await super.sort(files);
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))];
  }
}

/** Real browsers against the real binary. */
export default defineConfig({
  test: {
    include: part === "light" ? light : ["e2e/**/*.e2e.ts"],
    exclude: part === "heavy" ? light : [],
    // One file of each part at a time: the browsers of two keep two cores busy.
    fileParallelism: false,
    sequence: { sequencer: RecordingFirst },
    env: {
      // Every picture of a camera is encoded and decoded by the processor.
      CAMERA_FPS: "5",
      // A sixteenth of the pixels that the page asks for, which makes one simulcast layer instead
      // of three. The tests of call.e2e.ts have the whole picture and all three.
      CAMERA_ROWS: "180",
      // A sixth of what a meeting of three costs the processor is sound that nobody checks.
      SELDOM_SOUND: "1",
      // Cancelling echoes and noise is a twelfth of what a meeting of three costs the processor.
      RAW_SOUND: "1",
      // Most pages end before optimized code has repaid its compiler: a tenth of the processor time.
      JS_FLAGS: "--no-opt --no-maglev --single-threaded-gc",
      // The browser without windows: the same meeting costs it two thirds of the processor time.
      CHROMIUM: process.env["CHROMIUM"] ?? "/usr/bin/chromium-headless-shell",
    },
    // For tests that hang. Every wait has a limit of its own, and tests with three people wait a
    // lot.
    testTimeout: 240_000,
    hookTimeout: 60_000,
  },
});
