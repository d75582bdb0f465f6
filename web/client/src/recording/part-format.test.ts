import { expect, test } from "vitest";
import { decryptPart, encryptPart, newRecordingKey, partKey } from "./part-format.js";

const id = "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11";
const utf8 = (text: string) => new TextEncoder().encode(text);

test("a part opens only with its own number", async () => {
  const key = await partKey(newRecordingKey());
  const part = await encryptPart(key, id, 7, utf8("pictures and sound"));
  expect(await decryptPart(key, id, 7, part)).toEqual(utf8("pictures and sound"));
  await expect(decryptPart(key, id, 8, part)).rejects.toThrow();
  await expect(decryptPart(key, id, "index", part)).rejects.toThrow();
  await expect(decryptPart(key, id.replace("0", "1"), 7, part)).rejects.toThrow();
  await expect(decryptPart(await partKey(newRecordingKey()), id, 7, part)).rejects.toThrow();
});

test("a damaged or shortened part does not open", async () => {
  const key = await partKey(newRecordingKey());
  const part = await encryptPart(key, id, 0, utf8("pictures"));
  for (const place of [0, 12, part.length - 1]) {
    const damaged = part.slice();
    damaged[place] = (damaged[place] ?? 0) ^ 1;
    await expect(decryptPart(key, id, 0, damaged)).rejects.toThrow();
  }
  await expect(decryptPart(key, id, 0, part.slice(0, 20))).rejects.toThrow();
});

test("the same content is encrypted differently each time, and grows by 28 bytes", async () => {
  const key = await partKey(newRecordingKey());
  const [one, two] = [
    await encryptPart(key, id, 0, utf8("x")),
    await encryptPart(key, id, 0, utf8("x")),
  ];
  expect(one.slice(0, 12)).not.toEqual(two.slice(0, 12));
  expect(one.length).toBe(1 + 28);
});

test("a part has the documented format, taken apart by hand", async () => {
  const bytes = newRecordingKey();
  const part = await encryptPart(await partKey(bytes), id, 3, utf8("fragment"));
  const raw = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["decrypt"]);
  const additionalData = utf8(`service-recording:${id}:3`);
  const cipher = { name: "AES-GCM", iv: part.slice(0, 12), additionalData, tagLength: 128 };
  const plain = await crypto.subtle.decrypt(cipher, raw, part.slice(12));
  expect(new TextDecoder().decode(plain)).toBe("fragment");
});

test("a key of another length is refused", async () => {
  await expect(partKey(new Uint8Array(16))).rejects.toThrow("32 bytes");
});
