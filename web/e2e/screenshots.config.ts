import { defineConfig } from "vitest/config";

/** Takes pictures of the interface, for people to look at. */
export default defineConfig({
  test: {
    include: ["e2e/**/*.shots.ts"],
    // One file at a time: the browsers of one keep two cores busy.
    fileParallelism: false,
    // Every picture of a camera is encoded and decoded by the processor, and the browser without
    // windows draws them at two thirds of the cost.
    env: { CAMERA_FPS: "5", CHROMIUM: "/usr/bin/chromium-headless-shell" },
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
});
