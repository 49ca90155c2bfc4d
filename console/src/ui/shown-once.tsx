import { type ReactNode, useEffect } from 'react'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'

type ShownOnceProps = {
  readonly title: string
  /** Undefined if an earlier response has shown it. */
  readonly secret: string | undefined
  readonly children?: ReactNode
  readonly onClose: () => void
}

/** A key or a secret that the server does not show again: it stays until its user says that it is saved. */
export function ShownOnce({ title, secret, children, onClose }: ShownOnceProps) {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [])
  if (secret === undefined) {
    return (
      <Dialog open onClose={onClose} title={title}>
        <p>This is the response of an earlier request, which showed it. Rotate it again to get a new one.</p>
      </Dialog>
    )
  }
  return (
    <Dialog
      open
      isLocked
      onClose={onClose}
      title={title}
      description="Save it now. It is not shown again, and the server cannot restore it."
    >
      <p className="rounded-md border border-line bg-sunken p-3 font-mono text-xs break-all">{secret}</p>
      {children}
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <CopyButton text={secret} />
        <Button kind="primary" onClick={onClose}>
          I saved it
        </Button>
      </div>
    </Dialog>
  )
}
