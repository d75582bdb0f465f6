import type { Meeting } from "@conclave/client";

interface Shown {
  readonly id: string;
  readonly item: HTMLElement;
  readonly detach: () => void;
}

/** One video element for each person in the same room, while they are in it. */
export function showPeople(meeting: Meeting): void {
  const list = document.querySelector("ul");
  const shown = new Map<string, Shown>();
  const draw = () => {
    const wanted = new Map<string, (typeof people)[number]>();
    const people = meeting.people.get();
    for (const person of people) {
      // A picture may arrive before the service says whose it is.
      if (person.isHere && !person.isMe && person.camera && person.name !== null) {
        wanted.set(person.identity, person);
      }
    }
    for (const [identity, { id, item, detach }] of shown) {
      // The person's picture may come from another track, for instance after a move.
      if (wanted.get(identity)?.camera?.id === id) continue;
      detach();
      item.remove();
      shown.delete(identity);
    }
    for (const [identity, { camera, name }] of wanted) {
      if (!camera || name === null || shown.has(identity)) continue;
      const video = document.createElement("video");
      video.autoplay = true;
      video.muted = true;
      const item = document.createElement("li");
      item.setAttribute("role", "group");
      item.setAttribute("aria-label", name);
      item.append(video);
      list?.append(item);
      shown.set(identity, { id: camera.id, item, detach: camera.attach(video) });
    }
  };
  meeting.people.subscribe(draw);
  draw();
}
