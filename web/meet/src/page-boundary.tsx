import { Button } from "@conclave/ui/button";
import { Component, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import "./features/join/refused.css";

interface PageBoundaryProps {
  readonly children: ReactNode;
  /** Ends what the page can no longer show. */
  readonly onBreak?: () => void;
}

/** Says that the page is broken, where React would leave it blank. */
export class PageBoundary extends Component<PageBoundaryProps> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override componentDidCatch() {
    this.props.onBreak?.();
  }

  override render() {
    return this.state.isBroken ? <Broken /> : this.props.children;
  }
}

function Broken() {
  const { t } = useTranslation();
  return (
    <main className="refused">
      <div role="alert">
        <h1 className="refused-title">{t("broken.text")}</h1>
      </div>
      <p className="refused-next">{t("broken.next")}</p>
      <div className="refused-actions">
        <Button look="primary" onPress={() => window.location.reload()}>
          {t("reload")}
        </Button>
      </div>
    </main>
  );
}
