import { expect, test } from "vitest";
import { keyIndex, readAcknowledgement } from "./group-protocol.js";

const packet = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

test("an acknowledgement names a group and an epoch", () => {
  const read = readAcknowledgement(packet({ group_id: "g", epoch: 3, more: true }));
  expect(read).toEqual({ group_id: "g", epoch: 3 });
});

test.each([null, 7, [], {}, { group_id: 1, epoch: 3 }, { group_id: "g", epoch: "3" }])(
  "%j is not an acknowledgement",
  (value) => {
    expect(readAcknowledgement(packet(value))).toBeNull();
  },
);

test("a packet that is not JSON, or is far too long, is not an acknowledgement", () => {
  expect(readAcknowledgement(new Uint8Array([0xff, 0xfe]))).toBeNull();
  expect(readAcknowledgement(packet({ group_id: "g".repeat(1000), epoch: 3 }))).toBeNull();
});

test("a key index is one byte", () => {
  expect([0, 255, 256, 300].map(keyIndex)).toEqual([0, 255, 0, 44]);
});
