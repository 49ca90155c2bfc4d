import { type AffectedSources, affectedVersions, type Why } from '../../core/containment/entry-lineage.ts'
import type { ContainmentSelector } from '../../core/containment/selector.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'

/** An affected entry: its affected versions, the versions whose end is affected, and the last version that was stored. */
export type AffectedEntry = {
  readonly entryId: string
  versions: ReadonlyMap<number, Why>
  readonly ends: Set<number>
  claimId: string | null
}

/** Everything that came from the selector, or was derived from it, as far as it is found. It only grows. */
export class Affected {
  readonly selector: ContainmentSelector
  readonly from: number
  /** The instant since which runs and pins count. */
  readonly createdSince: number
  readonly events = new Set<string>()
  readonly runs = new Map<string, number>()
  readonly compactions = new Set<string>()
  readonly entries = new Map<string, AffectedEntry>()
  readonly claims = new Set<string>()
  /** Assertions of contained source events, by claim. */
  readonly stated = new Map<string, Set<number>>()
  /** Positions at which the contained source withdrew contents. */
  readonly withdrawnAt = new Set<number>()
  /** Claims that commits of the contained key changed. */
  readonly claimsOfKey = new Set<string>()
  /** By run: which affected entries it read, and from which sequence on. */
  readonly readers = new Map<string, Set<string>>()
  /** The runs whose own records were searched, and from which sequence on. */
  readonly searchedRuns = new Map<string, number>()
  /** Entries whose versions have to be examined again. */
  readonly pending = new Set<string>()
  readonly #writtenByKey = new Map<string, Set<number>>()

  constructor(selector: ContainmentSelector, from: number, createdSince = 0) {
    this.selector = selector
    this.createdSince = createdSince
    this.from = from
    if (selector.kind === 'run') this.runs.set(selector.value, 0)
  }

  noteWrittenByKey(entryId: string, version: number): void {
    addTo(this.#writtenByKey, entryId, version)
    this.pending.add(entryId)
  }

  /** Notes that the contained source ended a version, by deleting or archiving it, or by an affected compaction. */
  noteEnd(entryId: string, version: number): void {
    const { ends } = this.#entryOf(entryId)
    if (ends.has(version)) return
    ends.add(version)
    this.pending.add(entryId)
  }

  noteStated(claimId: string, ordinal: number): void {
    addTo(this.stated, claimId, ordinal)
    this.#noteClaim(claimId)
  }

  /** A run is affected from a sequence on. False when that was known. */
  noteRun(runId: string, from: number): boolean {
    const known = this.runs.get(runId)
    if (known !== undefined && known <= from) return false
    this.runs.set(runId, from)
    return true
  }

  isAffected(entryId: string, version: number): boolean {
    return this.entries.get(entryId)?.versions.has(version) ?? false
  }

  /** Examines all stored versions of an entry. True when more of them are affected than before. */
  examine(entryId: string, versions: readonly EntryVersion[]): boolean {
    const found = affectedVersions(versions, this.#sources())
    const known = this.entries.get(entryId)
    const claimId = versions.at(-1)?.classification?.claimId ?? null
    if (found.size === 0 && known === undefined) return false
    const entry = this.#entryOf(entryId)
    const isMore = found.size > entry.versions.size
    entry.versions = found
    entry.claimId = claimId
    if (claimId !== null) this.#noteClaim(claimId)
    return isMore
  }

  #sources(): AffectedSources {
    const { kind, value } = this.selector
    return {
      keyId: kind === 'key' ? value : null,
      agentId: kind === 'agent' ? value : null,
      seedRun: kind === 'run' ? value : null,
      from: this.from,
      events: this.events,
      runs: this.runs,
      compactions: this.compactions,
      isWrittenByKey: (entryId, version) => this.#writtenByKey.get(entryId)?.has(version) ?? false,
    }
  }

  #entryOf(entryId: string): AffectedEntry {
    const known = this.entries.get(entryId)
    if (known !== undefined) return known
    const entry: AffectedEntry = { entryId, versions: new Map(), ends: new Set(), claimId: null }
    this.entries.set(entryId, entry)
    this.#refuseTooMany()
    return entry
  }

  #noteClaim(claimId: string): void {
    this.claims.add(claimId)
    this.#refuseTooMany()
  }

  #refuseTooMany(): void {
    const max = limits.containmentEntriesMax
    if (this.entries.size <= max && this.claims.size <= max) return
    throw new ColophonError('containment_too_large', `More than ${max} entries or claims are affected.`, {
      details: { limit: 'containmentEntriesMax', max },
    })
  }
}

function addTo<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  const known = sets.get(key)
  if (known) known.add(value)
  else sets.set(key, new Set([value]))
}
