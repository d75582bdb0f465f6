import { act, type ReactElement } from "react";
import { vi } from "vitest";
import { startMessages } from "../src/messages/i18n";
import { startMeetingMessages } from "../src/messages/meeting";

// Once, because it draws everything again that is on a page.
startMessages();
startMeetingMessages();

/** A node of a document that keeps nothing: React writes into it, and nobody looks. */
class Node extends EventTarget {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly tagName: string;
  readonly namespaceURI = "http://www.w3.org/1999/xhtml";
  readonly style = { setProperty: () => {} };
  readonly dataset = {};
  readonly ownerDocument: object;
  textContent = "";

  constructor(type: number, name: string, page: object) {
    super();
    this.nodeType = type;
    this.nodeName = name;
    this.tagName = name;
    this.ownerDocument = page;
  }

  readonly appendChild = (child: Node) => child;
  readonly insertBefore = (child: Node) => child;
  readonly removeChild = (child: Node) => child;
  readonly setAttribute = () => {};
  readonly removeAttribute = () => {};
  readonly contains = () => false;
  readonly closest = () => null;
  readonly focus = () => {};
}

/** React Aria follows the focus by replacing this method. */
class Focusable {
  focus(): void {}
}

/** What follows the focus watches for changes, of which this document has none. */
class NoChanges {
  observe(): void {}
  disconnect(): void {}
}

/** Puts a document and a window in place, for the rest of the test file. */
function stubPage(): Node {
  const view = Object.assign(new EventTarget(), {
    document: {},
    HTMLElement: Focusable,
    HTMLIFrameElement: Focusable,
    matchMedia: () => Object.assign(new EventTarget(), { matches: false }),
  });
  const page = Object.assign(new EventTarget(), {
    nodeType: 9,
    activeElement: null,
    visibilityState: "visible",
    readyState: "complete",
    defaultView: view,
    createElement: (name: string) => new Node(1, name.toUpperCase(), page),
    createElementNS: (_: string, name: string) => new Node(1, name, page),
    createTextNode: () => new Node(3, "#text", page),
  });
  vi.stubGlobal("document", page);
  vi.stubGlobal("window", Object.assign(view, { document: page }));
  for (const name of ["HTMLElement", "SVGElement"]) vi.stubGlobal(name, Focusable);
  vi.stubGlobal("MutationObserver", NoChanges);
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("navigator", { userAgent: "", platform: "", language: "en" });
  return page.createElement("div");
}

/** Makes a change, and draws all that follows from it. */
export type Change = (make: () => void | Promise<void>) => Promise<void>;

/**
 * Draws a component as a browser would, again with every change, for tests of what is drawn again
 * and of what a component remembers.
 */
export async function live(component: ReactElement): Promise<Change> {
  const container = stubPage();
  // React looks for the document when it is loaded.
  const { createRoot } = await import("react-dom/client");
  const root = createRoot(container as unknown as Element);
  const change: Change = (make) => act(async () => make());
  await change(() => root.render(component));
  return change;
}
