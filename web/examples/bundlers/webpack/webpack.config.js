import { fileURLToPath } from "node:url";

/** @type {import("webpack").Configuration} */
export default {
  mode: "production",
  context: fileURLToPath(new URL(".", import.meta.url)),
  entry: "./main.js",
  output: { path: fileURLToPath(new URL("./dist", import.meta.url)), clean: true },
  performance: { hints: false },
};
