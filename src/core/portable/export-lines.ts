import { parseAuditBody } from '../audit/audit.ts'
import { toInstant } from '../check.ts'
import type { AuditRow } from '../commit/batch.ts'
import { type Compaction, type CompactionSource, isDistillation } from '../compaction/compaction.ts'
import type { EntryVersion } from '../entries/entry.ts'
import type { Assertion, ClaimRecord } from '../provenance/claim.ts'
import type { SourceEventRecord, SourceMessage } from '../provenance/source-event.ts'
import type { AuthorityRules, Writer } from '../provenance/writer.ts'
import { contentNames, firstAssertion, keyedClaimName, unkeyedClaimName } from './claim-names.ts'

/** The lines of an export, as JSON values. They contain no salts and no keys; instants are ISO-8601. */

export const exportFormat = 'colophon-export'
export const exportVersion = 1

/** The number of rows of each kind in an export. */
export type ExportCounts = Readonly<
  Record<'positions' | 'writers' | 'sourceEvents' | 'claims' | 'versions' | 'compactions', number>
>

/** The first line of an export. */
export type ExportHeader = {
  readonly type: 'header'
  readonly format: typeof exportFormat
  readonly version: typeof exportVersion
  readonly tenant: string
  readonly exportedAt: string
  readonly position: number
  /** The hash of the chain at that position. */
  readonly head: string
  readonly historyFrom: number
  readonly memoryRef?: string
  readonly subject?: string
  readonly counts: ExportCounts
}

/** A position. One that was imported before is exported with its original instant and hash, so that a second move loses nothing. */
export function positionLine(row: AuditRow) {
  const first = row.body.includes('"imported":{') ? parseAuditBody(row).imported : undefined
  return { type: 'position', position: row.position, at: first?.at ?? toInstant(row.at), hash: first?.hash ?? row.hash }
}

/** A writer. The file says whether it was bound, not to which key: bound writers are imported as inactive, so that no other key can use them. */
export function writerLine({ apiKeyId, replacedKeyIds: _alsoOfThisHost, ...writer }: Writer) {
  const { createdAt, updatedAt, changes } = writer
  return {
    type: 'writer',
    ...writer,
    isBound: apiKeyId !== null,
    authorityRules: rulesOf(writer.authorityRules),
    createdAt: toInstant(createdAt),
    updatedAt: toInstant(updatedAt),
    changes: changes.map(({ at, actor, ...change }) => ({
      at: toInstant(at),
      actor,
      old: rulesOf(change.old),
      new: rulesOf(change.new),
    })),
  }
}

/** Authority rules and messages have the same member names as in API calls. */
function rulesOf({ defaultPriority, categories }: AuthorityRules) {
  return { default_priority: defaultPriority, categories }
}

function messageOf({ claimKey, alwaysInclude, ...message }: SourceMessage) {
  return {
    ...message,
    ...(claimKey === undefined ? {} : { claim_key: claimKey }),
    ...(alwaysInclude ? { always_include: true } : {}),
  }
}

/** A source event. */
export function sourceEventLine({ salt, ...event }: SourceEventRecord) {
  return {
    type: 'sourceEvent',
    ...event,
    observedAt: toInstant(event.observedAt),
    receivedAt: toInstant(event.receivedAt),
    messages: event.messages?.map(messageOf) ?? null,
    ...(salt === '' ? { isErased: true } : {}),
  }
}

/** A claim with all its assertions. */
export function claimLine(claim: ClaimRecord, assertions: readonly Assertion[]) {
  const names = contentNames(assertions)
  const nameOf = (contentKey: string) => names.get(contentKey) ?? contentKey
  const { pin } = claim
  return {
    type: 'claim',
    ...claim,
    claimId: claimName(claim, assertions),
    pin: pin && { ...pin, contentKey: nameOf(pin.contentKey), at: toInstant(pin.at) },
    assertions: assertions.map(
      ({
        claimId: _same,
        isKeptAlone: _derived,
        actor: _ofEvent,
        seal: _seal,
        containedBy,
        withdrawalContainedBy,
        ...assertion
      }) => ({
        ...assertion,
        // Files without containments are the same as before.
        ...(containedBy ? { containedBy } : {}),
        ...(withdrawalContainedBy ? { withdrawalContainedBy } : {}),
        contentKey: nameOf(assertion.contentKey),
        observedAt: toInstant(assertion.observedAt),
      }),
    ),
  }
}

/** The name of a claim in the file. The assertions are only needed for a claim without a key. */
export function claimName(
  claim: Pick<ClaimRecord, 'claimId' | 'subject' | 'category' | 'claimKey'>,
  assertions: readonly Assertion[],
): string {
  if (claim.claimKey !== null) return keyedClaimName(claim)
  const first = firstAssertion(assertions)
  return first === undefined ? claim.claimId : unkeyedClaimName(first)
}

/** A version of an entry. */
export function versionLine(
  { salt: _salt, digestPosition: _digest, ...version }: EntryVersion,
  /** The name of the version's claim in the file. */
  claimId: string | null,
) {
  const { classification } = version
  const observedAt = classification?.observedAt
  return {
    type: 'version',
    ...version,
    classification: classification && {
      ...classification,
      claimId,
      ...(observedAt === undefined ? {} : { observedAt: toInstant(observedAt) }),
    },
    createdAt: toInstant(version.createdAt),
    expiresAt: version.expiresAt === null ? null : toInstant(version.expiresAt),
  }
}

/** A compaction with its lineage. */
export function compactionLine(compaction: Compaction, sources: readonly CompactionSource[]) {
  const { tokenBudget, tokensUsed, checksum, ...members } = compaction
  return {
    type: 'compaction',
    ...members,
    // Left out where there is none: servers from before distillations read the line too.
    ...(isDistillation(compaction) ? { tokenBudget, tokensUsed, checksum } : {}),
    at: toInstant(compaction.at),
    undoneAt: compaction.undoneAt === null ? null : toInstant(compaction.undoneAt),
    sources: sources.map(({ entryId, version }) => ({ entryId, version })),
  }
}
