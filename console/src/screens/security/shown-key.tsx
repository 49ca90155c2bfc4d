import { useEffect } from 'react'
import type { NewKey } from '../../../../src/client/index.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

type ShownKeyProps = {
  readonly made: NewKey
  /** The session of this browser uses the new key now. */
  readonly isAdopted: boolean
  readonly onClose: () => void
}

/** The server stores only the hash of a key, so it is shown once: until its user says that it is saved. */
export function ShownKey({ made, isAdopted, onClose }: ShownKeyProps) {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [])
  if (made.key === undefined) {
    return (
      <Dialog open onClose={onClose} title={`The key “${made.name}”`}>
        <p>This is the response of an earlier request, which showed the key. Rotate it again to get a new one.</p>
      </Dialog>
    )
  }
  return (
    <Dialog
      open
      isLocked
      onClose={onClose}
      title={`The key “${made.name}”`}
      description="Save it now. It is not shown again, and the server cannot restore it."
    >
      <p className="rounded-md border border-line bg-sunken p-3 font-mono text-xs break-all">{made.key}</p>
      {isAdopted && (
        <p role="status" className="mt-3 text-good">
          This browser is logged in with the new key.
        </p>
      )}
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <CopyButton text={made.key} />
        <Button kind="primary" onClick={onClose}>
          I saved it
        </Button>
      </div>
    </Dialog>
  )
}
