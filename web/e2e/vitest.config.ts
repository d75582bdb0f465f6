import { defineConfig } from "vitest/config";

/** Real browsers against the real binary. */
export default defineConfig({
  test: {
    include: ["e2e/**/*.e2e.ts"],
    // One file at a time: the browsers of one keep two cores busy.
    fileParallelism: false,
    // Every picture of a camera is encoded and decoded by the processor.
    env: { CAMERA_FPS: "10" },
    // For tests that hang. Every wait has a limit of its own, and tests with three people wait a
    // lot.
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
