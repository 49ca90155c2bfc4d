import type { AdminRecord } from '../../admin.ts'
import { toInstant } from '../../check.ts'
import type { Batch, Clock } from '../../commit/batch.ts'
import type { Compaction, CompactionSource } from '../../compaction/compaction.ts'
import type { EntryVersion } from '../../entries/entry.ts'
import type { ClaimRecord, StoredAssertion } from '../../provenance/claim.ts'
import type { SourceEventRecord } from '../../provenance/source-event.ts'
import type { Run } from '../../run/run.ts'
import type { AuditBody } from '../audit-notes.ts'
import { toTombstoneNote } from '../audit-notes.ts'
import {
  adminDigest,
  assertionsDigest,
  claimDigest,
  compactionDigest,
  contentDigest,
  isSealedContent,
  lineageDigest,
  messagesDigest,
  namedSourceDigest,
  runDigest,
  sourceDigest,
  versionDigest,
} from '../row-digests.ts'
import type {
  ExpectedClaim,
  ExpectedCompaction,
  ExpectedRecord,
  ExpectedRun,
  ExpectedSource,
  ExpectedState,
  ExpectedVersion,
} from './expected-state.ts'

/** Compares stored rows with the expected state. Each function returns the member that differs, `row` when that is unknown, or null. */

type Mac = Batch['mac']
export type Difference = string | null

export function compareVersion(mac: Mac, row: EntryVersion, expected: ExpectedVersion): Difference {
  const digest = expected.isFull ? versionDigest(row) : contentDigest(row)
  if (mac(row.memoryRef) !== expected.ref) return 'memoryRef'
  if (digest !== expected.digest) return 'row'
  if (!expected.isFull && expected.recorded !== null && row.recordedPosition !== expected.recorded) return 'recorded'
  if (row.digestPosition !== expected.at) return 'digestPosition'
  return isEndedAs(row, expected) ? null : 'ended'
}

function isEndedAs({ endedPosition, endedReason, recordedPosition }: EntryVersion, expected: ExpectedVersion): boolean {
  const { ended, isFull, recorded } = expected
  if (ended !== null) return endedPosition === ended[0] && endedReason === ended[1]
  if (endedPosition === null) return endedReason === null
  // Records of the first format did not say that a version ended at the position where it began.
  return !isFull && (recorded === null || endedPosition === recordedPosition)
}

/** The members of the clock and of the tenant that differ from what the records say. */
export function compareTenant(
  clock: Clock,
  tenant: StoredTenantFacts | null,
  expected: ExpectedState,
): { readonly what: string; readonly member: string }[] {
  const { redactionVersion, tenantStatus, tenantCreatedAt } = expected
  return [
    { what: 'clock', member: 'historyFrom', isSame: clock.historyFrom === expected.historyFrom },
    { what: 'clock', member: 'lastCreatedAt', isSame: clock.lastCreatedAt === expected.lastAt },
    {
      what: 'clock',
      member: 'redactionVersion',
      isSame: redactionVersion === null || clock.redactionVersion === redactionVersion,
    },
    {
      what: 'tenant',
      member: 'status',
      isSame: tenantStatus === null || (tenant?.status ?? tenantStatus) === tenantStatus,
    },
    {
      what: 'tenant',
      member: 'createdAt',
      isSame: tenantCreatedAt === null || tenant === null || toInstant(tenant.createdAt) === tenantCreatedAt,
    },
  ].filter(({ isSame }) => !isSame)
}

type StoredTenantFacts = { readonly status: string; readonly createdAt: number }

export function compareSource(event: SourceEventRecord, erasedAt: number | null, expected: ExpectedSource): Difference {
  if (expected.erased !== null) return compareErasedSource(event, erasedAt, expected.erased)
  if (erasedAt !== null) return 'erased'
  // Only source events that an early version of forget erased have no salt.
  if (!expected.isFull) return event.salt === '' || namedSourceDigest(event) === expected.digest ? null : 'row'
  if (sourceDigest(event) !== expected.digest) return 'row'
  return expected.messages === undefined || messagesDigest(event) === expected.messages ? null : 'messages'
}

function compareErasedSource(
  event: SourceEventRecord,
  erasedAt: number | null,
  { tombstone, at, isExact }: NonNullable<ExpectedSource['erased']>,
): Difference {
  const { service, eventId, receivedAt, messages, scope, evidence, agentId } = event
  if (erasedAt === null || (isExact ? erasedAt !== at : erasedAt > at)) return 'erased'
  if (messages !== null) return 'messages'
  const texts = [event.subject, event.payloadHash, event.salt, event.actor, event.requestId]
  const isEmpty = texts.every((text) => text === '') && scope === null && evidence === null && agentId === null
  if (!isEmpty || event.observedAt !== receivedAt || Object.keys(event.metadata).length > 0) return 'row'
  const isNamed = service === null ? eventId === null : eventId !== null
  const isSame = tombstone === undefined || eventId === null || toTombstoneNote({ tombstone: eventId }) === tombstone
  return isNamed && isSame ? null : 'eventId'
}

export function compareClaim(mac: Mac, claim: ClaimRecord, expected: ExpectedClaim): Difference {
  if (claim.winner !== expected.winner) return 'winner'
  if (claim.revision !== expected.revision) return 'revision'
  if ((claim.pin !== null) !== expected.pinned) return 'pin'
  return expected.digest === undefined || claimDigest(mac, claim) === expected.digest ? null : 'row'
}

/** The assertions that differ: those with another content, or all of the claim when it is unknown which. */
export function compareAssertions(
  mac: Mac,
  assertions: readonly StoredAssertion[],
  expected: ExpectedClaim,
): readonly { readonly ordinal?: number; readonly member: string }[] {
  const contents = assertions.filter((item) => !isSealedContent(item))
  const found = contents.map(({ ordinal }) => ({ ordinal, member: 'content' }))
  const isSame = expected.stated === undefined || assertionsDigest(mac, assertions) === expected.stated
  return isSame ? found : [...found, { member: 'row' }]
}

export function compareRecord(mac: Mac, record: AdminRecord, expected: ExpectedRecord): Difference {
  if (record.revision !== expected.revision) return 'revision'
  return expected.digest === undefined || adminDigest(mac, record) === expected.digest ? null : 'row'
}

export function compareCompaction(mac: Mac, compaction: Compaction, expected: ExpectedCompaction): Difference {
  if (compaction.outputId !== expected.output) return 'outputId'
  if (compaction.sourceCount !== expected.sources) return 'sourceCount'
  return expected.digest === undefined || compactionDigest(mac, compaction) === expected.digest ? null : 'row'
}

export function compareLineage(
  mac: Mac,
  sources: readonly CompactionSource[],
  expected: ExpectedCompaction,
): Difference {
  if (sources.length !== expected.sources) return 'sources'
  return expected.lineage === undefined || lineageDigest(mac, sources) === expected.lineage ? null : 'sources'
}

export function compareRun(mac: Mac, run: Run, expected: ExpectedRun): Difference {
  return runDigest(mac, run) === expected.digest ? null : 'row'
}

/** Compares the refs in clear beside a record with the macs in its body: each must match, or be erased. */
export function compareRefs(
  mac: Mac,
  refs: readonly string[] | null,
  { written = [], ended = [], rewritten = [] }: AuditBody,
): 'same' | 'erased' | 'changed' {
  const named = [...new Set([...written, ...ended, ...rewritten].map(({ ref }) => ref))]
  if (refs === null) return named.length === 0 ? 'same' : 'changed'
  if (refs.length !== named.length) return 'changed'
  if (refs.some((ref, index) => ref !== '' && mac(ref) !== named[index])) return 'changed'
  return refs.includes('') ? 'erased' : 'same'
}
