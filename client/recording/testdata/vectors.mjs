// Writes vectors.json: node testdata/vectors.mjs > testdata/vectors.json
// Written from the format alone (docs/reference/recordings.md), with Node's
// cryptography, and no line shared with the packages that it tests.
import { createCipheriv } from "node:crypto";

const key = Buffer.alloc(32, "conclave recording vectors ");
const id = "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11";

function seal(place, plain, iv) {
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  cipher.setAAD(Buffer.from(`service-recording:${id}:${place}`));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

const plains = ["", "the first bytes of a file", "pictures and sound ".repeat(40), "\u0000\u00ff bytes"];
const parts = plains.map((plain, index) => {
  const place = [0, 1, 7, 4095][index];
  const iv = Buffer.alloc(12, index + 1);
  return { index: place, plain: Buffer.from(plain).toString("base64"), part: seal(place, Buffer.from(plain), iv).toString("base64") };
});
console.log(JSON.stringify({ key: key.toString("base64url"), id, parts }, null, 2));
