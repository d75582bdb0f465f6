import {
  Comparing,
  fingerprintKey,
  type GroupMember,
  type GroupState,
  type Meeting,
} from "@conclave/client";

/** The code to compare, the devices that have the keys, and the news that one joined later. */
export function showComparing(meeting: Meeting): void {
  const comparing = new Comparing(meeting.group, meeting.identity, meeting.phase);
  let shown: GroupState["code"] | null = null;
  element("compared").addEventListener("click", () => {
    if (shown) comparing.compared(shown);
  });
  const draw = () => {
    const group = meeting.group.get();
    const { extent, added, verified } = comparing.state.get();
    const members = group?.epoch?.members ?? [];
    element("state").textContent = group?.trouble
      ? `No keys: ${group.trouble.reason}`
      : `Compared: ${extent}`;
    element("news").textContent = added.length > 0 ? "A new device joined after you compared" : "";
    shown = group?.epoch?.code ?? null;
    element("code").textContent = shown?.digits.join(" ") ?? "";
    element("devices").replaceChildren(
      ...members.map((member) => deviceItem(member, verified.has(fingerprintKey(member)))),
    );
  };
  const deviceItem = (member: GroupMember, isVerified: boolean) => {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = isVerified;
    box.addEventListener("change", () => comparing.verify(member, box.checked));
    label.append(box, `${member.name}: ${member.fingerprint.join(" ")}`);
    const item = document.createElement("li");
    item.append(label);
    return item;
  };
  meeting.group.subscribe(draw);
  comparing.state.subscribe(draw);
  draw();
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element ${id}.`);
  return found;
}
