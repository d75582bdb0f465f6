import { browserStore } from "@conclave/client/pre-join";
import { SelectField } from "@conclave/ui/select-field";
import { usePageTitle } from "@conclave/ui/use-page-title";
import { type ReactNode, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import "./member.css";
import { chosenWorkspace, rememberWorkspace, type Workspace } from "./workspace-choice";

export interface MemberPageProps {
  readonly here: "home" | "recordings";
  readonly workspaces: readonly Workspace[];
  /** Who is signed in. */
  readonly account: ReactNode;
  /** The page for the chosen workspace. */
  readonly children: (workspace: Workspace) => ReactNode;
}

/** The frame of all pages of members: the links between them, and the choice of a workspace. */
export function MemberPage({ here, workspaces, account, children }: MemberPageProps) {
  const { t } = useTranslation();
  usePageTitle(t(`home.${here}`), t("product"));
  const store = useMemo(() => browserStore("local"), []);
  const [workspace, setWorkspace] = useState(() => chosenWorkspace(workspaces, store));
  const choose = (id: string) => {
    rememberWorkspace(id, store);
    setWorkspace(workspaces.find((one) => one.id === id) ?? null);
  };

  return (
    <main className="member-page">
      <header className="member-head">
        <a className="member-mark" href="/">
          {t("product")}
        </a>
        <nav className="member-nav" aria-label={t("home.pages")}>
          <PageLink path="/" isHere={here === "home"} label={t("home.home")} />
          <PageLink
            path="/recordings"
            isHere={here === "recordings"}
            label={t("home.recordings")}
          />
        </nav>
        {workspace && workspaces.length > 1 ? (
          <div className="member-workspace">
            <SelectField
              label={t("home.workspace")}
              value={workspace.id}
              options={workspaces.map(({ id, name, personal }) => ({
                value: id,
                label: personal ? t("home.personal") : name,
              }))}
              onChange={choose}
            />
          </div>
        ) : null}
        <div className="member-account">{account}</div>
      </header>
      <h1 className="visually-hidden">{t(`home.${here}`)}</h1>
      {workspace ? children(workspace) : null}
    </main>
  );
}

interface PageLinkProps {
  readonly path: string;
  readonly isHere: boolean;
  readonly label: string;
}

function PageLink({ path, isHere, label }: PageLinkProps) {
  return (
    <a href={path} {...(isHere ? { "aria-current": "page" } : {})}>
      {label}
    </a>
  );
}
