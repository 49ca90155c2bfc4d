import { sha256 } from '../../core/audit/digest.ts'
import { cleanSources } from '../../core/compaction/carry-forward.ts'
import type { CompactionSource } from '../../core/compaction/compaction.ts'
import { TokenPlan } from '../../core/distillation/token-plan.ts'
import { commonReaders } from '../../core/entries/access.ts'
import type { EntryVersion, Place } from '../../core/entries/entry.ts'
import type { Readers } from '../../core/entries/readers.ts'
import { lowestTrust, type Trust } from '../../core/entries/trust.ts'
import { invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { trustFloorOf } from '../entries/read-access.ts'
import { createPausingSlice } from '../event-loop.ts'
import type { RedactionState } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'

/** The sources of a distillation, the oldest first, with what follows from all of them. */
export type Corpus = {
  readonly sources: readonly CompactionSource[]
  /** Redacted with the secrets and rules of now. Empty when they exceed the budget: then they are only counted. */
  readonly texts: readonly string[]
  /** A digest of each text, in the same order. */
  readonly digests: readonly string[]
  readonly plan: TokenPlan
  readonly subject: string | null
  readonly expiries: readonly (number | null)[]
  /** The lowest class of the sources, and those who may read all of them: an archive widens no access. */
  readonly trust: Trust
  readonly readers: Readers
}

/**
 * Reads the entries of a ref as they are now, page by page and in time slices. Entries in quarantine are left out, because no reader sees
 * them. So are those of a claim: authority decides which content is current, and an archive must not keep another one.
 */
export async function readCorpus(
  tenant: Tenant,
  memoryRef: string,
  redaction: RedactionState,
  budget: number,
  signal: AbortSignal,
): Promise<Corpus> {
  const found = await readSources(tenant, memoryRef, signal)
  const slice = createPausingSlice()
  const plan = new TokenPlan()
  const texts: string[] = []
  const digests: string[] = []
  for (let index = 0; index < found.length; index += limits.compactionPageEntriesMax) {
    signal.throwIfAborted()
    const page = found.slice(index, index + limits.compactionPageEntriesMax).map(({ content }) => content)
    const clean = await redaction.redact(({ scan }) => cleanSources(page, scan, redaction.policy))
    for (const text of clean) {
      await slice()
      plan.add(text)
      digests.push(sha256(text))
      if (plan.inputTokens <= budget) texts.push(text)
    }
  }
  const [first] = found
  return {
    sources: found.map(({ entryId, version }) => ({ entryId, version })),
    texts,
    digests,
    plan,
    subject: found.every(({ subject }) => subject === first?.subject) ? (first?.subject ?? null) : null,
    expiries: found.map(({ expiresAt }) => expiresAt),
    trust: found.reduce<Trust>((lowest, { trust }) => lowestTrust(lowest, trust), 'verified'),
    readers: commonReaders(found.map(({ readers }) => readers)),
  }
}

/** The entries of a ref at one position, the oldest first. */
async function readSources(tenant: Tenant, memoryRef: string, signal: AbortSignal): Promise<EntryVersion[]> {
  const position = (await tenant.storage.clock(tenant.id))?.position ?? 0
  const view = { position, own: [], access: { trustMin: await trustFloorOf(tenant), reader: null } }
  const query = { tenantId: tenant.id, memoryRef, tag: null, view, now: tenant.now() }
  const limit = limits.compactionPageEntriesMax
  const found: EntryVersion[] = []
  const slice = createPausingSlice()
  for (let before: Place | null = null; ; ) {
    signal.throwIfAborted()
    await slice()
    const { versions } = await tenant.storage.list({ ...query, before, limit })
    found.push(...versions.filter(({ classification }) => (classification?.claimId ?? null) === null))
    refuseTooMany(found.length)
    const last = versions.at(-1)
    if (last === undefined || versions.length < limit) return found.sort(oldestFirst)
    before = { createdPosition: last.createdPosition, ordinal: last.ordinal }
  }
}

function oldestFirst(a: EntryVersion, b: EntryVersion): number {
  const byPlace = a.createdAt - b.createdAt || a.createdPosition - b.createdPosition || a.ordinal - b.ordinal
  return byPlace || (a.entryId < b.entryId ? -1 : 1)
}

function refuseTooMany(count: number): void {
  const max = limits.distillationSourcesMax
  if (count > max)
    throw invalid('memoryRef', `has more than ${max} entries: compact it first`, {
      limit: 'distillationSourcesMax',
      max,
    })
}
