import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Button } from "./button";
import "./confirm.css";
import "./sheet.css";

export interface ConfirmProps {
  readonly title: string;
  /** What will happen, for whoever did not mean it. */
  readonly text: string;
  readonly confirmLabel: string;
  readonly cancelLabel: string;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Asks once more before something that cannot be taken back. Shown for as long as it is drawn. */
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
