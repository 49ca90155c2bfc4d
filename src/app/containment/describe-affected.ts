import type { Why } from '../../core/containment/entry-lineage.ts'
import type { Affected } from './affected.ts'
import type { AffectedRunRow, ContainmentCounts, ContainmentPart, EntryRow } from './containment-record.ts'
import type { Moves } from './plan-moves.ts'

export function countAffected({ events, stated, entries, claims, runs }: Affected): ContainmentCounts {
  let versions = 0
  for (const entry of entries.values()) versions += entry.versions.size
  let assertions = 0
  for (const ordinals of stated.values()) assertions += ordinals.size
  return {
    sourceEvents: events.size,
    assertions,
    entries: entries.size,
    versions,
    claims: claims.size,
    runs: runs.size,
  }
}

/** Everything that is affected, in order of id. */
export async function toPart(
  affected: Affected,
  moves: Moves,
  isActive: (runId: string) => Promise<boolean>,
): Promise<ContainmentPart> {
  const effects = effectsOf(moves)
  const entries = [...affected.entries.values()].map(({ entryId, versions, ends }): EntryRow => {
    const why: Why = [...versions.values()].at(-1) ?? { kind: 'written' }
    return {
      id: entryId,
      versions: [...versions.keys()],
      ends: [...ends],
      why,
      effect: effects.get(entryId) ?? 'unchanged',
    }
  })
  const wrote = Map.groupBy(
    entries.filter(({ why }) => why.kind === 'run'),
    ({ why }) => (why.kind === 'run' ? why.runId : ''),
  )
  const runs = await Promise.all(
    [...affected.runs.keys()].map(
      async (id): Promise<AffectedRunRow> => ({
        id,
        isActive: await isActive(id),
        read: affected.readers.get(id)?.size ?? 0,
        wrote: (wrote.get(id) ?? []).map((entry) => entry.id),
      }),
    ),
  )
  return { entries: entries.sort(byId), claims: [...moves.winners].sort(byId), runs: runs.sort(byId) }
}

function effectsOf({ revisions, ends }: Moves): Map<string, EntryRow['effect']> {
  const effects = new Map<string, EntryRow['effect']>()
  for (const { entryId } of ends) effects.set(entryId, 'contained')
  for (const { entryId, endsAtOnce } of revisions)
    effects.set(entryId, endsAtOnce === undefined || endsAtOnce === 'archived' ? 'restored' : 'contained')
  return effects
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1
}
