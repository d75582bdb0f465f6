import { expect, test } from "vitest";
import { countSilentSenders } from "./silent-senders.js";

test("a section that sends is not a placeholder, also while its sender has no track", () => {
  const transceivers = [
    { mid: "0", direction: "recvonly" },
    { mid: "1", direction: "sendonly" },
    { mid: null, direction: "sendonly" },
    { mid: "2", direction: "inactive" },
  ];
  const transport = {
    pc: { getTransceivers: () => transceivers as RTCRtpTransceiver[] },
    getPlaceholderMids: () => new Set(["0", "1", "2"]),
  };
  countSilentSenders(transport);
  expect([...transport.getPlaceholderMids()]).toEqual(["0", "2"]);
});
