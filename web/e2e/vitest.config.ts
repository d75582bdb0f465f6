import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The parts that run beside each other (run.mjs). What is in no list is in the heavy part. */
const parts = {
  /**
   * Files whose tests wait most of the time: they take half of one processor. Those that make a
   * network are here together, because there is one at a time.
   */
  quiet: [
    ...["breakouts-time", "doctor", "lost-network", "networks", "recording-ends", "relay"],
    "rolling",
  ],
  /** Files whose tests show few pictures, and with the others of this list take as long as the rest. */
  light: [
    ...["account", "bundlers", "calendars", "custom", "firefox", "home", "members", "own-tls"],
    ...["polls", "pre-join", "recording-slow", "recordings-page", "service-side"],
    ...["small-screens", "stock", "strict-downgrade", "strict-injected", "strict-people", "visits"],
    "webinar",
  ],
};

/** "quiet", "light", "heavy", or nothing for all. */
const part = process.env["E2E_PART"];

const pathsOf = (names: readonly string[]) => names.map((name) => `e2e/${name}.e2e.ts`);

/**
 * Begins with the recordings, and beside them with the file that takes least of the processors:
 * sound and pictures keep together in a recording while nothing else uses them (run.mjs).
 */
class RecordingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const first = ["/recording.e2e.ts", "/doctor.e2e.ts"];
    const isFirst = ({ moduleId }: TestSpecification) =>
      first.some((name) => moduleId.endsWith(name));
    const sorted = await super.sort(files);
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))];
  }
}

/** Real browsers against the real binary. */
export default defineConfig({
  test: {
    include: part === "quiet" || part === "light" ? pathsOf(parts[part]) : ["e2e/**/*.e2e.ts"],
    exclude: part === "heavy" ? pathsOf(Object.values(parts).flat()) : [],
    // A look costs the processors several milliseconds, in the page and here.
    expect: { poll: { interval: 200 } },
    // One file of each part at a time: the browsers of two keep two cores busy.
    fileParallelism: false,
    // Loading Playwright for each of the files takes half a second. So files of a part share the
    // process, and must leave its environment as it was.
    isolate: false,
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
