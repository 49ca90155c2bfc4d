import { sha256 } from '../../core/audit/digest.ts'
import { cleanSources } from '../../core/compaction/carry-forward.ts'
import type { CompactionSource } from '../../core/compaction/compaction.ts'
import { TokenPlan } from '../../core/distillation/token-plan.ts'
import { commonReaders } from '../../core/entries/access.ts'
import type { EntryVersion, Place } from '../../core/entries/entry.ts'
import type { Readers } from '../../core/entries/readers.ts'
import { isMark } from '../../core/entries/tags.ts'
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
  const sources: CompactionSource[] = []
  const expiries: (number | null)[] = []
  let subject = found[0]?.subject ?? null
  let trust: Trust = 'verified'
  let readers: Readers = null
  for (let index = 0; index < found.length; index += limits.distillationPageEntriesMax) {
    signal.throwIfAborted()
    await slice()
    const page = found.slice(index, index + limits.distillationPageEntriesMax)
    const clean = await redaction.redact(({ scan }) => cleanSources(page.map(contentOf), scan, redaction.policy))
    for (const text of clean) {
      await slice()
      plan.add(text)
      digests.push(sha256(text))
      if (plan.inputTokens <= budget) texts.push(text)
    }
    for (const version of page) {
      sources.push({ entryId: version.entryId, version: version.version })
      expiries.push(version.expiresAt)
      if (version.subject !== subject) subject = null
      trust = lowestTrust(trust, version.trust)
      readers = commonReaders([readers, version.readers])
    }
  }
  return { sources, texts, digests, plan, subject, expiries, trust, readers }
}

const contentOf = ({ content }: EntryVersion) => content

/** The entries of a ref at one position, the oldest first. */
async function readSources(tenant: Tenant, memoryRef: string, signal: AbortSignal): Promise<EntryVersion[]> {
  const position = (await tenant.storage.clock(tenant.id))?.position ?? 0
  const view = { position, own: [], access: { trustMin: await trustFloorOf(tenant), reader: null } }
  const query = { tenantId: tenant.id, memoryRef, tag: null, view, now: tenant.expiryNow() }
  const limit = limits.distillationPageEntriesMax
  const found: EntryVersion[] = []
  const slice = createPausingSlice()
  for (let before: Place | null = null; ; ) {
    signal.throwIfAborted()
    await slice()
    const { versions } = await tenant.storage.list({ ...query, before, limit })
    found.push(
      ...versions.filter((entry) => (entry.classification?.claimId ?? null) === null && !entry.tags.some(isMark)),
    )
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
