import { parseBody } from '../audit/audit.ts'
import { toInstant } from '../check.ts'
import type { AuditRow } from '../commit/batch.ts'
import type { Compaction, CompactionSource } from '../compaction/compaction.ts'
import type { EntryVersion } from '../entries/entry.ts'
import type { Assertion, Claim } from '../provenance/claim.ts'
import type { SourceEvent, SourceMessage } from '../provenance/source-event.ts'
import type { AuthorityRules, Writer } from '../provenance/writer.ts'
import { contentNames, firstStated, slotName, statedName } from './claim-names.ts'

/** The lines of an export, as JSON values. Salts and keys stay behind; instants are ISO-8601. */

export const exportFormat = 'colophon-export'
export const exportVersion = 1

export type ExportCounts = Readonly<
  Record<'positions' | 'writers' | 'sourceEvents' | 'claims' | 'versions' | 'compactions', number>
>

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

/** A position that was imported itself is told as it was in the first place, so that a second move loses nothing. */
export function positionLine(row: AuditRow) {
  const first = row.body.includes('"imported":{') ? parseBody(row).imported : undefined
  return { type: 'position', position: row.position, at: first?.at ?? toInstant(row.at), hash: first?.hash ?? row.hash }
}

/** The file says that it was bound, not to which key: bound writers arrive inactive, so that no other key speaks for them. */
export function writerLine({ apiKeyId, ...writer }: Writer) {
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

/** The file has the names that rules and messages have in calls. */
function rulesOf({ defaultPriority, categories }: AuthorityRules) {
  return { default_priority: defaultPriority, categories }
}

function messageOf({ claimKey, ...message }: SourceMessage) {
  return claimKey === undefined ? message : { ...message, claim_key: claimKey }
}

export function sourceEventLine({ salt, ...event }: SourceEvent) {
  return {
    type: 'sourceEvent',
    ...event,
    observedAt: toInstant(event.observedAt),
    receivedAt: toInstant(event.receivedAt),
    messages: event.messages?.map(messageOf) ?? null,
    ...(salt === '' ? { isErased: true } : {}),
  }
}

export function claimLine(claim: Claim, assertions: readonly Assertion[]) {
  const names = contentNames(assertions)
  const nameOf = (contentKey: string) => names.get(contentKey) ?? contentKey
  const { pin } = claim
  return {
    type: 'claim',
    ...claim,
    claimId: claimName(claim, assertions),
    pin: pin && { ...pin, contentKey: nameOf(pin.contentKey), at: toInstant(pin.at) },
    assertions: assertions.map(
      ({ claimId: _same, isKeptAlone: _derived, actor: _ofEvent, seal: _seal, ...assertion }) => ({
        ...assertion,
        contentKey: nameOf(assertion.contentKey),
        observedAt: toInstant(assertion.observedAt),
      }),
    ),
  }
}

/** What was stated first is only asked for claims without a key. */
export function claimName(
  claim: Pick<Claim, 'claimId' | 'subject' | 'category' | 'claimKey'>,
  assertions: readonly Assertion[],
): string {
  if (claim.claimKey !== null) return slotName(claim)
  const first = firstStated(assertions)
  return first === undefined ? claim.claimId : statedName(first)
}

export function versionLine(
  { salt: _salt, digestPosition: _digest, ...version }: EntryVersion,
  /** What the claim of this version is called in the file. */
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

export function compactionLine(compaction: Compaction, sources: readonly CompactionSource[]) {
  return {
    type: 'compaction',
    ...compaction,
    at: toInstant(compaction.at),
    undoneAt: compaction.undoneAt === null ? null : toInstant(compaction.undoneAt),
    sources: sources.map(({ entryId, version }) => ({ entryId, version })),
  }
}
