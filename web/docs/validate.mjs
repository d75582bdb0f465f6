// Checks OpenAPI documents against the specification's own schema:
//
//   npm run validate --prefix web/docs -- document.json ...

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("usage: node validate.mjs DOCUMENT...");
  process.exit(2);
}
for (const file of files) {
  // npm changes the directory; INIT_CWD is the directory from which it was called.
  const document = JSON.parse(readFileSync(resolve(process.env.INIT_CWD ?? ".", file), "utf8"));
  const result = await new Validator().validate(document);
  if (!result.valid) {
    console.error(`${file} is not a valid OpenAPI ${document.openapi} document:`);
    console.error(JSON.stringify(result.errors, null, 2));
    process.exitCode = 1;
  }
}
