import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { arrivalTrace, neverInReleases } from "./arrival-trace.js";
import { compileEarly } from "./compile-early.js";
import { compress } from "./compress.js";
import { firstScript } from "./first-script.js";

const service = process.env["CONCLAVE_SERVICE"] ?? "http://localhost:8080";

export default defineConfig({
  plugins: [
    react(),
    firstScript("src/room/first-look.ts"),
    arrivalTrace(),
    // What joining a meeting runs. The part before "Join now" is shown sooner without.
    compileEarly([
      /\/livekit-client\/dist\/livekit-client\.esm/,
      /\/room\/enter\.ts$/,
      /\/room\/meeting-page\.tsx$/,
    ]),
    compress([
      {
        name: "the page before a call",
        modules: ["/meet/index.html", "/features/join/avatar-picker.tsx"],
        files: [/^index\.html$/, /inter-latin-wght-normal.*\.woff2$/],
        most: 200_000,
      },
      {
        name: "a call, after that page",
        modules: ["/room/enter.ts", "/room/meeting-page.tsx"],
        files: [/e2ee\.worker.*\.js$/],
        after: "the page before a call",
        most: 250_000,
      },
    ]),
  ],
  worker: { plugins: () => [neverInReleases()] },
  resolve: { conditions: ["conclave-source", "module", "browser", "development|production"] },
  // The Go binary embeds meet/dist; .gitkeep stays there so that a fresh clone compiles.
  build: {
    // Browsers that can encrypt media know light-dark(); for older targets it would be rewritten.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // They know modulepreload, too.
    modulePreload: { polyfill: false },
    outDir: "dist",
    emptyOutDir: true,
    sourcemap: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Two files instead of a dozen: over HTTP/1.1 browsers fetch six at a time.
          groups: [
            { name: "first", test: /first-look\.ts$/, priority: 2 },
            { name: "room", test: /room-page\.tsx$/, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      "/meet/v1": { target: service },
      "/rtc": { target: service, ws: true },
    },
  },
});
