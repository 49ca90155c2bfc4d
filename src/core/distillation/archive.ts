import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'

/**
 * Archives: the texts that distillations make. They are entries of a ref beside the distilled one, so that lists and searches return the
 * sources only, and no search finds in an archive what was corrected or deleted since. An archive is read by its id.
 */
const archivePrefix = 'archive:'
const archiveIdPrefix = 'arc_'

export function refOfArchives(memoryRef: string): string {
  return `${archivePrefix}${memoryRef}`
}

export function isArchiveRef(memoryRef: string): boolean {
  return memoryRef.startsWith(archivePrefix)
}

/** The ref that has this entry: an archive is also found under the ref that it was distilled from. */
export function refOfEntry(memoryRef: string, entryId: string): string {
  return entryId.startsWith(archiveIdPrefix) && !isArchiveRef(memoryRef) ? refOfArchives(memoryRef) : memoryRef
}

/** The id of an archive, from the keyed digest of all that it follows from: the same distillation finds the same archive. */
export function archiveIdOf(digest: string): string {
  return `${archiveIdPrefix}${digest.slice(0, 32)}`
}

/** How long an archive is kept, as an ISO-8601 duration. */
export const archiveRetention = `P${limits.distillationRetentionDays}D`

const dayMs = 24 * 60 * 60 * 1_000

/** When an archive expires: at the end of its retention, or with the first of its sources. */
export function archiveExpiry(now: number, sourceExpiries: readonly (number | null)[]): number {
  return sourceExpiries.reduce<number>(
    (first, expiresAt) => (expiresAt === null ? first : Math.min(first, expiresAt)),
    now + limits.distillationRetentionDays * dayMs,
  )
}

/** The ref of the archives must be a ref too. */
export function checkDistilledLength(field: string, memoryRef: string): void {
  const max = limits.memoryRefCharactersMax - archivePrefix.length
  if (memoryRef.length > max)
    throw invalid(field, `must be at most ${max} characters`, { limit: 'memoryRefCharactersMax', max })
}
