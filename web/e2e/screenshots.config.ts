import { defineConfig } from "vitest/config";

/** Takes pictures of the interface, for people to look at. */
export default defineConfig({
  test: { include: ["e2e/**/*.shots.ts"], testTimeout: 120_000, hookTimeout: 60_000 },
});
