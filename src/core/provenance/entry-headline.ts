import type { Origin } from '../entries/entry.ts'
import type { Trust } from '../entries/trust.ts'

/** What is known of an entry, apart from the decision about its claim. */
export type EntryFacts = {
  readonly endedReason: string | null
  readonly origin: Origin
  readonly trust: Trust
  /** The tenant's floor, when the entry is below it. */
  readonly belowFloor: Trust | null
  /** The actor of its audit record. */
  readonly actor: string | null
  /** The entry that a compaction made of it. */
  readonly compactedInto: string | null
  /** The number of entries that a compaction made it of. */
  readonly sourceCount: number | null
}

/** Why an entry is read or not, in one sentence. `decided` is the sentence of its claim, if it has rivals or sources. */
export function entryHeadline(facts: EntryFacts, decided: string | null): string {
  const { endedReason, trust, belowFloor, compactedInto } = facts
  switch (endedReason) {
    case 'archived':
      return 'Archived: it is kept, but no longer returned.'
    case 'contained':
      return 'Contained: its source is in quarantine, so it does not count.'
    case 'compacted':
      return compactedInto === null ? 'Replaced by a compaction.' : `Replaced by the compaction ${compactedInto}.`
    case null:
      if (belowFloor !== null) return `In quarantine because its class ${trust} is below the floor ${belowFloor}.`
      return decided ?? `Current because ${writtenBy(facts)}.`
    default:
      return decided ?? 'Superseded by another content.'
  }
}

function writtenBy({ origin, actor, sourceCount }: EntryFacts): string {
  switch (origin.kind) {
    case 'run':
    case 'session':
      return `run ${origin.runId} wrote it${origin.nodeId === undefined ? '' : ` in node ${origin.nodeId}`}`
    case 'service':
      return `${origin.service} sent it`
    case 'compaction':
      return `a compaction made it of ${sourceCount ?? 'several'} entries`
    case 'api':
      return `${actor ?? (origin.keyId === undefined ? 'a client' : `key:${origin.keyId}`)} wrote it`
  }
}
