import type { ReactNode } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Button } from "./button";
import { ReturnFocus } from "./return-focus";
import "./confirm.css";
import "./sheet.css";

export interface ConfirmProps {
  readonly title: ReactNode;
  /** What will happen. */
  readonly text: ReactNode;
  readonly confirmLabel: string;
  readonly cancelLabel: string;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/**
 * A dialog that asks for confirmation of something that cannot be undone. Open while it is
 * rendered.
 */
export function Confirm(props: ConfirmProps) {
  const { title, text, confirmLabel, cancelLabel, onConfirm, onCancel } = props;
  return (
    <ModalOverlay
      className="sheet-veil"
      isDismissable
      isOpen
      onOpenChange={(open) => {
        if (!open) onCancel();
      }}
    >
      <Modal className="sheet">
        <Dialog role="alertdialog" className="sheet-dialog confirm">
          <ReturnFocus />
          <Heading slot="title" className="sheet-title">
            {title}
          </Heading>
          <p>{text}</p>
          <div className="confirm-actions">
            <Button onPress={onCancel} autoFocus>
              {cancelLabel}
            </Button>
            <Button look="danger" onPress={onConfirm}>
              {confirmLabel}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
