import { expect, test } from "vitest";
import { TransportFilter, type Way } from "./transport-filter.js";

const udp = "candidate:1 1 udp 2130706431 192.0.2.1 7882 typ host";
const tcp = "candidate:2 1 tcp 1671430143 192.0.2.1 7881 typ host tcptype passive";
const servers = [
  { urls: ["stun:stun.example:3478"] },
  { urls: ["turn:meet.example:3478?transport=udp"], username: "u", credential: "c" },
  { urls: ["turns:meet.example:443?transport=tcp"], username: "u", credential: "c" },
];

test.each<[Way, boolean, boolean, string[]]>([
  ["udp", true, false, []],
  ["tcp", false, true, []],
  ["relay_udp", true, true, ["turn:meet.example:3478?transport=udp"]],
  ["relay_tls", true, true, ["turns:meet.example:443?transport=tcp"]],
])("a connection by %s has only these candidates and servers", (way, hasUdp, hasTcp, urls) => {
  const filter = new TransportFilter(way);
  expect(filter.passes(udp)).toBe(hasUdp);
  expect(filter.passes(tcp)).toBe(hasTcp);
  const config = filter.configuration({ iceServers: servers });
  expect((config.iceServers ?? []).flatMap((server) => server.urls)).toEqual(urls);
  expect(config.iceTransportPolicy).toBe(urls.length > 0 ? "relay" : "all");
});

test("a description loses the candidates of other ways, and nothing else", () => {
  const lines = ["v=0", `a=${udp}`, `a=${tcp}`, "a=end-of-candidates", ""];
  expect(new TransportFilter("tcp").description(lines.join("\r\n"))).toBe(
    ["v=0", `a=${tcp}`, "a=end-of-candidates", ""].join("\r\n"),
  );
});

test.each<[Way, boolean]>([
  ["udp", true],
  ["tcp", false],
  ["relay_udp", false],
  ["relay_tls", false],
])("%s is offered by a service without TCP and TURN: %s", (way, isOffered) => {
  const filter = new TransportFilter(way);
  filter.configuration({ iceServers: [{ urls: "stun:stun.example" }] });
  filter.passes(udp);
  expect(filter.isOffered).toBe(isOffered);
});

test("ways are offered when a candidate or a server says so", () => {
  const [tcpWay, relay] = [new TransportFilter("tcp"), new TransportFilter("relay_tls")];
  tcpWay.passes(tcp);
  relay.configuration({ iceServers: servers });
  expect([tcpWay.isOffered, relay.isOffered]).toEqual([true, true]);
});
