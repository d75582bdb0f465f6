import type { GroupView, Person } from "@conclave/client";

const groupsOf = (seed: number) =>
  Array.from({ length: 6 }, (_, index) =>
    String(((seed + index) * 48_271) % 100_000).padStart(5, "0"),
  );

const pictures = ["🐶 dog", "🎸 guitar", "📎 paper clip", "🦋 butterfly", "🐰 rabbit", "🚀 rocket"];

/** A group with these people, and with a code as long as a real one. */
export function fakeGroup(people: readonly Person[]): GroupView {
  const emoji = [...pictures, "⌛ hourglass", "👍 thumbs up"].map((picture) => {
    const [drawn = "", ...name] = picture.split(" ");
    return { emoji: drawn, name: name.join(" ") };
  });
  return {
    state: "secure",
    trouble: null,
    epoch: {
      groupId: "fake",
      epoch: 4,
      members: people.map(({ identity, name, role }, index) => ({
        identity,
        name: name ?? "",
        role,
        fingerprint: groupsOf(index * 7 + 3),
      })),
      code: { digits: groupsOf(1), emoji },
    },
  };
}
