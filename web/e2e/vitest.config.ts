import { defineConfig } from "vitest/config";

/** Files whose tests mostly wait for time to pass. They run beside the others (run.mjs). */
const patient = ["breakouts-time", "lost-network", "recording-ends", "recordings-page"].map(
  (name) => `e2e/${name}.e2e.ts`,
);

/** "patient", "others", or nothing for all. */
const part = process.env["E2E_PART"];

/** Real browsers against the real binary. */
export default defineConfig({
  test: {
    include: part === "patient" ? patient : ["e2e/**/*.e2e.ts"],
    exclude: part === "others" ? patient : [],
    // One file at a time: the browsers of one keep two cores busy.
    fileParallelism: false,
    env: {
      // Every picture of a camera is encoded and decoded by the processor.
      CAMERA_FPS: "10",
      // The browser without windows: the same meeting costs it two thirds of the processor time.
      CHROMIUM: process.env["CHROMIUM"] ?? "/usr/bin/chromium-headless-shell",
    },
    // For tests that hang. Every wait has a limit of its own, and tests with three people wait a
    // lot.
    testTimeout: 240_000,
    hookTimeout: 60_000,
  },
});
