import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Failure } from './states.tsx'

type ConfirmDialogProps = {
  /** The question, with the name of what it is about. */
  readonly title: string
  readonly children: ReactNode
  /** The words of the button, such as "Delete ticket". */
  readonly action: string
  readonly isBusy: boolean
  readonly error: unknown
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** The question before something is deleted or revoked. */
export function ConfirmDialog({ title, children, action, isBusy, error, onConfirm, onClose }: ConfirmDialogProps) {
  return (
    <Dialog open onClose={onClose} title={title}>
      <div className="mb-4 break-words">{children}</div>
      {error !== null && <Failure error={error} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" disabled={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
