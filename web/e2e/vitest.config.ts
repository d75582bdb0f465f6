import { defineConfig } from "vitest/config";

/** Real browsers against the real binary. */
export default defineConfig({
  test: {
    include: ["e2e/**/*.e2e.ts"],
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
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
