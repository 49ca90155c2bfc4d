import { parseAuditBody } from '../../core/audit/audit.ts'
import { toInstant } from '../../core/check.ts'
import { isExpired } from '../../core/entries/as-of.ts'
import type { EntryVersion, Origin } from '../../core/entries/entry.ts'
import { isVersionRecorded } from '../../core/entries/entry-audit.ts'
import { isBelow, type Trust } from '../../core/entries/trust.ts'
import { entryHeadline } from '../../core/provenance/entry-headline.ts'
import { findMemoryAt } from '../provenance/find-memories.ts'
import { compactedInto, type Derivation, derivationOf } from '../provenance/lineage.ts'
import type { ClaimResolution } from '../provenance/resolution.ts'
import { type StoryStep, storyOf } from '../provenance/story.ts'
import type { Tenant } from '../tenant.ts'
import { asOfView, getVersion, isEntryId, type ReadOptions } from './read.ts'
import { forReader, mayRead, trustFloorOf } from './read-access.ts'

/** The provenance of an entry: where it comes from, what happened to it, and the audit record that proves it. */
export type EntryColophon = {
  readonly id: string
  readonly memoryRef: string
  readonly version: number
  readonly createdAt: string
  readonly origin: Origin
  /** The class of this version. */
  readonly trust: Trust
  /** It is below the tenant's floor: lists, searches and prompts leave it out. */
  readonly quarantined?: true
  readonly subject: string | null
  /** The actor that started the run that wrote the entry. */
  readonly startedBy?: string
  /** Who inside the tenant may read it; absent for everyone. */
  readonly readers?: readonly string[]
  /** The claim that the entry belongs to; null when it belongs to none. */
  readonly claimId: string | null
  /** The compaction that made the entry, and its source entries. */
  readonly derivedFrom?: Derivation
  /** Why it is current or not, in one sentence. */
  readonly headline: string
  /** What decided between its content and the others of its claim. */
  readonly resolution?: ClaimResolution
  /** Every step of its history, in order. */
  readonly story: readonly StoryStep[]
  /** The audit record of this version: actor, instant and hash. Null when no record matches the stored row. */
  readonly audit: {
    readonly position: number
    readonly at: string
    readonly actor: string
    readonly hash: string
  } | null
}

/** Reads the provenance of an entry; null when there is no such entry. Entries that were superseded, archived or compacted have one too. */
export async function colophon(
  handle: Tenant,
  memoryRef: string,
  id: string,
  options: ReadOptions = {},
): Promise<EntryColophon | null> {
  const tenant = forReader(handle, options.reader)
  const moment = options.asOf === undefined ? null : (await asOfView(tenant, options)).position
  const version =
    (await getVersion(tenant, memoryRef, id, options)) ?? (await endedVersion(tenant, memoryRef, id, options, moment))
  if (version === null) return null
  const position = version.recordedPosition
  const rowAt = (at: number) => tenant.storage.audit({ tenantId: tenant.id, from: at, to: at, limit: 1 })
  const [[row], [digested]] = await Promise.all([rowAt(position), rowAt(version.digestPosition)])
  const isRecorded = row !== undefined && isVersionRecorded(digested, version)
  const derivedFrom = await derivationOf(tenant, version.origin)
  const { steps, resolution } = await storyOf(tenant, version.entryId, moment)
  const floor = await trustFloorOf(tenant)
  const belowFloor = isBelow(version.trust, floor) ? floor : null
  const audit = isRecorded
    ? { position, at: toInstant(row.at), actor: parseAuditBody(row).actor, hash: row.hash }
    : null
  const hasEnded = version.endedPosition !== null && (moment === null || version.endedPosition <= moment)
  const facts = {
    endedReason: hasEnded ? version.endedReason : null,
    origin: version.origin,
    trust: version.trust,
    belowFloor,
    actor: audit?.actor ?? null,
    compactedInto: hasEnded ? ((await compactedInto(tenant, version))?.outputId ?? null) : null,
    sourceCount: derivedFrom?.sourceCount ?? null,
  }
  return {
    id: version.entryId,
    memoryRef: version.memoryRef,
    version: version.version,
    createdAt: toInstant(version.createdAt),
    origin: version.origin,
    trust: version.trust,
    ...(belowFloor === null ? {} : { quarantined: true }),
    subject: version.subject,
    ...(await starterOf(tenant, version.origin)),
    claimId: version.classification?.claimId ?? null,
    ...(version.readers === null ? {} : { readers: version.readers }),
    ...(derivedFrom === null ? {} : { derivedFrom }),
    headline: entryHeadline(facts, resolution?.headline ?? null),
    ...(resolution === null ? {} : { resolution }),
    story: steps,
    audit,
  }
}

/** The version of an entry that was superseded, archived, compacted or contained at the moment. Null for reads of a run. */
async function endedVersion(
  tenant: Tenant,
  memoryRef: string,
  id: string,
  { run }: ReadOptions,
  moment: number | null,
): Promise<EntryVersion | null> {
  if (run !== undefined || !isEntryId(id)) return null
  const version = moment === null ? await newestVersion(tenant, id) : await findMemoryAt(tenant, id, moment)
  const isKept = ['superseded', 'archived', 'compacted', 'contained'].includes(version?.endedReason ?? '')
  const isLiving = version !== null && !isExpired(version, tenant.expiryNow())
  const isSeen = isLiving && mayRead(tenant, version.readers)
  return isSeen && version.memoryRef === memoryRef && isKept ? version : null
}

async function newestVersion(tenant: Tenant, id: string): Promise<EntryVersion | null> {
  const [version] = await tenant.storage.provenance.newestVersions(tenant.id, [id])
  return version ?? null
}

async function starterOf(tenant: Tenant, origin: Origin): Promise<{ startedBy?: string }> {
  if (origin.kind !== 'run' && origin.kind !== 'session') return {}
  const run = await tenant.storage.runs.get(tenant.id, origin.runId)
  return run === null ? {} : { startedBy: run.facts.actor }
}
