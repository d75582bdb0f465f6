import { defineConfig } from "vite";

export default defineConfig({
  // The page works in whatever folder it is served.
  base: "./",
});
