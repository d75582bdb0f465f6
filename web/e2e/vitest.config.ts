import { defineConfig } from "vitest/config";

/** Real browsers against the real binary. */
export default defineConfig({
  test: {
    include: ["e2e/**/*.e2e.ts"],
    // Each file is several people, and two of them leave a machine of two cores enough to answer in time.
    maxWorkers: 2,
    // Every picture of a camera is encoded and decoded by the processor.
    env: { CAMERA_FPS: "10" },
    // For what hangs. Whatever a test waits for has a limit of its own, and three people wait for much.
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
