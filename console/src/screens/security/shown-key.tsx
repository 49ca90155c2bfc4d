import type { NewKey } from '../../../../src/client/index.ts'
import { ShownOnce } from '../../ui/shown-once.tsx'

type ShownKeyProps = {
  readonly made: NewKey
  /** The session of this browser uses the new key now. */
  readonly isAdopted: boolean
  readonly onClose: () => void
}

/** The server stores only the hash of a key, so it is shown once. */
export function ShownKey({ made, isAdopted, onClose }: ShownKeyProps) {
  return (
    <ShownOnce title={`The key “${made.name}”`} secret={made.key} onClose={onClose}>
      {isAdopted && (
        <p role="status" className="mt-3 text-good">
          This browser is logged in with the new key.
        </p>
      )}
    </ShownOnce>
  )
}
