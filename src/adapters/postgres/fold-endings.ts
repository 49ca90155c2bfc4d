import type { Sealed, SealedEnding, VersionKey } from '../../core/commit/batch.ts'
import { keyOf } from '../../core/commit/batch.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'

/** A version that a later batch of the same group ended is stored as ended at once; the rest are updates of older rows. */
export function foldEndings(sealed: readonly Sealed[]): { versions: EntryVersion[]; endings: SealedEnding[] } {
  const versions = new Map(sealed.flatMap((batch) => batch.versions).map((version) => [versionKey(version), version]))
  const endings = sealed
    .flatMap((batch) => batch.endings)
    .filter((ending) => {
      const fresh = versions.get(versionKey(ending))
      if (!fresh) return true
      const { endedPosition, endedReason } = ending
      versions.set(versionKey(ending), { ...fresh, endedPosition, endedReason })
      return false
    })
  return { versions: [...versions.values()], endings }
}

export function versionKey(version: VersionKey): string {
  return `${keyOf(version)}\u0000${version.version}`
}
