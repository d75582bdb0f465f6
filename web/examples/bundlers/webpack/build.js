import { promisify } from "node:util";
import webpack from "webpack";
import config from "./webpack.config.js";

// What `npx webpack` does with webpack-cli.
const stats = await promisify(webpack)(config);
if (!stats || stats.hasErrors()) throw new Error(stats?.toString("errors-only"));
