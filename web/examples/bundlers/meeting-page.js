import {
  browserStore,
  createMeeting,
  Entrance,
  LocalMedia,
  readLinkSecret,
} from "@conclave/client";

/**
 * The code that the four pages share: a form for the link of a room, and the people in its meeting.
 * @typedef {{ createEncryptionWorker: () => Worker, createGroupWorker: () => Worker }} Workers
 */

/** @param {Workers} workers */
export function showMeetingPage(workers) {
  const form = element("form");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const fields = new FormData(form);
    enter(String(fields.get("link")), String(fields.get("name")), workers).then(
      showMeeting,
      (error) => say(String(error)),
    );
  });
}

/**
 * Enters a meeting, strict or not, by the link of its room or by a join link.
 * @param {string} link
 * @param {string} name
 * @param {Workers} workers
 */
async function enter(link, name, workers) {
  const { origin: baseUrl, pathname, hash } = new URL(link);
  const fragment = new URLSearchParams(hash.slice(1));
  const secret = fragment.get("k");
  const linkSecret = secret === null ? null : readLinkSecret(secret);
  if (secret !== null && linkSecret === null) throw new Error("The link is not complete.");

  const entrance = new Entrance({
    baseUrl,
    code: pathname.slice(1),
    joinSecret: fragment.get("join"),
    store: browserStore("session"),
  });
  const { room } = await entrance.lookUp();
  const localMedia = new LocalMedia({ store: browserStore("local") });
  await Promise.all([localMedia.setMicrophone(true), localMedia.setCamera(true)]);
  const seat = await entrance.takeSeat({ name });
  if (seat.decision !== "enter") throw new Error("A host has to let you in.");
  return createMeeting({
    baseUrl,
    seat,
    room,
    seats: entrance.seats,
    localMedia,
    linkSecret,
    ...workers,
  });
}

/** @param {import("@conclave/client").Meeting} meeting */
function showMeeting(meeting) {
  const showPhase = () => {
    const phase = meeting.phase.get();
    say(phase.kind === "ended" ? `ended: ${phase.reason}` : phase.kind);
  };
  meeting.phase.subscribe(showPhase);
  showPhase();

  /** @type {Map<string, () => void>} */
  const shown = new Map();
  const showPeople = () => {
    const cameras = new Map(
      meeting.people
        .get()
        .flatMap(({ isMe, name, camera }) =>
          !isMe && name !== null && camera ? [[camera.id, { name, camera }]] : [],
        ),
    );
    for (const [id, remove] of shown) {
      if (cameras.has(id)) continue;
      remove();
      shown.delete(id);
    }
    for (const [id, { name, camera }] of cameras) {
      if (!shown.has(id)) shown.set(id, showCamera(name, camera));
    }
  };
  meeting.people.subscribe(showPeople);
  showPeople();
}

/**
 * @param {string} name
 * @param {import("@conclave/client").VideoView} camera
 * @returns {() => void} removes the picture
 */
function showCamera(name, camera) {
  const video = document.createElement("video");
  video.autoplay = true;
  video.muted = true;
  const item = document.createElement("li");
  item.setAttribute("role", "group");
  item.setAttribute("aria-label", name);
  item.append(video);
  element("ul").append(item);
  const detach = camera.attach(video);
  return () => {
    detach();
    item.remove();
  };
}

/** @param {string} text */
function say(text) {
  element("p").textContent = text;
}

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @returns {HTMLElementTagNameMap[T]}
 */
function element(tag) {
  const found = document.querySelector(tag);
  if (!found) throw new Error(`The page has no element ${tag}.`);
  return found;
}
