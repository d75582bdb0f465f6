import { loadAgain } from "@conclave/ui/load-again";

/** The page of a workspace with its part of the message catalogue, loaded only for members. */
export async function loadWorkspacePage() {
  const [{ WorkspacePage }, { startWorkspaceMessages }] = await Promise.all([
    loadAgain(() => import("../features/workspace/workspace-page")),
    loadAgain(() => import("../messages/workspace")),
  ]);
  startWorkspaceMessages();
  return { default: WorkspacePage };
}
