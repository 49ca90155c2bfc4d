import type { Compaction, CompactionSource } from '../compaction/compaction.ts'
import { checkContentSize, type EntryVersion } from '../entries/entry.ts'
import { areSameReaders, type Readers } from '../entries/readers.ts'
import { isHostTag, isMark, sourceTag } from '../entries/tags.ts'
import { lowestTrust, type Trust } from '../entries/trust.ts'
import { ColophonError } from '../errors.ts'
import { limits } from '../limits.ts'
import { isMemoryRef } from '../names.ts'
import type { Assertion, ClaimRecord } from '../provenance/claim.ts'
import { type SourceEventRecord, withReaders } from '../provenance/source-event.ts'
import type { Writer } from '../provenance/writer.ts'
import { findMarkers } from '../redaction/rules/marker.ts'
import type { ImportedPosition, ImportedRows } from './imported-rows.ts'

/** One line of an export after the check of its shape: a row, without the salts and keys of its tenant. */
export type PortableLine =
  | ({ readonly type: 'position' } & ImportedPosition)
  /** Older files do not say whether the writer was bound to a key. */
  | ({ readonly type: 'writer'; readonly isBound?: boolean | undefined } & Omit<Writer, 'apiKeyId' | 'replacedKeyIds'>)
  | ({ readonly type: 'sourceEvent'; readonly isErased?: true; readonly isHashPrivate?: boolean | undefined } & Omit<
      SourceEventRecord,
      'salt' | 'isHashPrivate'
    >)
  | ({
      readonly type: 'claim'
      readonly assertions: readonly Omit<Assertion, 'claimId' | 'actor' | 'seal'>[]
    } & ClaimRecord)
  | ({ readonly type: 'version' } & Omit<EntryVersion, 'salt' | 'digestPosition'>)
  | ({ readonly type: 'compaction'; readonly sources: readonly CompactionSource[] } & Compaction)

/** A line of one type. */
export type LineOf<T extends PortableLine['type']> = Extract<PortableLine, { readonly type: T }>

/** The id of a line among the lines of its type. */
export function lineId(line: PortableLine): string {
  switch (line.type) {
    case 'position':
      return String(line.position)
    case 'writer':
      return line.serviceKey
    case 'sourceEvent':
      return line.sourceEventId
    case 'claim':
      return line.claimId
    case 'version':
      return `${line.entryId} ${line.version}`
    case 'compaction':
      return line.compactionId
  }
}

/** The line with at most this class: what a file says about itself is not proven. */
export function withTrustMax(line: PortableLine, max: Trust): PortableLine {
  const lowered = <T extends { readonly trust: Trust }>(row: T): T => ({ ...row, trust: lowestTrust(row.trust, max) })
  switch (line.type) {
    case 'version':
    case 'sourceEvent':
      return lowered(line)
    case 'claim':
      return { ...line, assertions: line.assertions.map(lowered) }
    default:
      return line
  }
}

/** The clocks of two machines may differ by this much; a later instant is refused. */
const skewMsMax = 60_000

/** The number of the line, the last position of its file, and the current time. */
type Bounds = { readonly number: number; readonly position: number; readonly now: number }

/** Checks a line beyond its shape: its positions must be in the file, and its instants must not be in the future. */
export function checkLine(line: PortableLine, bounds: Bounds): void {
  // All positions come first, in their order: a row must not be stored before the clock has passed its position.
  const expected = bounds.number <= bounds.position ? bounds.number : null
  if ((line.type === 'position' ? line.position : null) !== expected) throw wrong(line, 'a position out of order')
  const positions = positionsOf(line)
  const isInside = positions.every((position) => position <= bounds.position)
  const isPast = instantsOf(line).every((at) => at <= bounds.now + skewMsMax)
  if (!isInside || !isPast) throw wrong(line, 'a position or an instant after the export')
  if (line.type === 'sourceEvent' && !isShallow(line, limits.jsonDepthMax))
    throw wrong(line, 'a value that is nested too deeply')
  if (
    line.type === 'sourceEvent' &&
    !areSameReaders(line.readers, withReaders(line.messages ?? [], line.readers).readers)
  )
    throw wrong(line, 'readers that contradict those of its messages')
  if (line.type === 'compaction' && !isMemoryRef(line.memoryRef)) throw wrong(line, 'a malformed memoryRef')
  if (line.type !== 'version') return
  if (!isMemoryRef(line.memoryRef)) throw wrong(line, 'a malformed memoryRef')
  if (line.version > limits.entryVersionMax || line.ordinal > limits.entryOrdinalMax)
    throw wrong(line, 'a version or an ordinal that no commit has')
  checkContentSize(line.content)
  // An ended version may be empty: the last version of a deleted memory is.
  if (line.endedPosition === null && line.content === '') throw wrong(line, 'an empty content')
  if (!line.tags.every((tag) => isOwnTag(line, tag))) throw wrong(line, 'a tag that contradicts its origin')
  const { createdPosition, recordedPosition, endedPosition, endedReason } = line
  const isOrdered = createdPosition <= recordedPosition && recordedPosition <= (endedPosition ?? recordedPosition)
  if (!isOrdered || (endedPosition === null) !== (endedReason === null))
    throw wrong(line, 'a beginning and an ending that contradict each other')
}

function isShallow(value: unknown, depthMax: number): boolean {
  if (value === null || typeof value !== 'object') return true
  return depthMax > 0 && Object.values(value).every((inner) => isShallow(inner, depthMax - 1))
}

/** Refuses versions of one entry with different readers: reads of the past are judged by the readers of today. Yields after each line. */
export function* checkReadersOfEntries(lines: readonly PortableLine[]): Generator<void> {
  const known = new Map<string, Readers>()
  for (const line of lines) {
    yield
    if (line.type !== 'version') continue
    const { entryId, readers } = line
    const ofOthers = known.get(entryId)
    if (ofOthers !== undefined && !areSameReaders(ofOthers, readers))
      throw wrong(line, 'other readers than another version of its entry')
    known.set(entryId, readers)
  }
}

/** Refuses lines that break a unique constraint: two current versions of an entry, two winners of a claim, two entries in one place, two events of one id. Yields after each line. */
export function* checkUniqueLines(lines: readonly PortableLine[]): Generator<void> {
  const seen = new Set<string>()
  for (const line of lines) {
    yield
    for (const name of uniqueNames(line)) {
      if (seen.has(name)) throw wrong(line, 'a value that must be unique in the file')
      seen.add(name)
    }
  }
}

function uniqueNames(line: PortableLine): string[] {
  const names = [`${line.type} ${lineId(line)}`]
  if (line.type === 'sourceEvent' && line.service !== null && line.eventId !== null)
    return [...names, `event ${JSON.stringify([line.service, line.eventId])}`]
  if (line.type !== 'version') return names
  const { entryId, createdPosition, ordinal, version, endedPosition, classification } = line
  // In the tenant, not only in the ref: a commit numbers all entries that it stores.
  names.push(`place ${JSON.stringify([createdPosition, ordinal, version])}`)
  if (endedPosition !== null) return names
  names.push(`live ${entryId}`, `live place ${JSON.stringify([createdPosition, ordinal])}`)
  const claimId = classification?.claimId ?? null
  return claimId === null ? names : [...names, `winner ${claimId}`]
}

/** Whether a tag of the host agrees with the origin of the version. */
function isOwnTag({ origin }: LineOf<'version'>, tag: string): boolean {
  if (!isHostTag(tag) || tag === sourceTag(origin) || isMark(tag)) return true
  return origin.kind === 'compaction' && tag === `compacted-from:${origin.compactionId}`
}

function wrong(line: PortableLine, what: string): ColophonError {
  return new ColophonError('import_file_invalid', `A line of the file has ${what}.`, { details: { type: line.type } })
}

function positionsOf(line: PortableLine): number[] {
  switch (line.type) {
    case 'position':
      return [line.position]
    case 'writer':
      return []
    case 'sourceEvent':
      return [line.recordedPosition]
    case 'claim':
      return [line.updatedPosition, ...line.assertions.map(({ recordedPosition }) => recordedPosition)]
    case 'version':
      return [line.createdPosition, line.recordedPosition, line.endedPosition ?? 0]
    case 'compaction':
      return [line.recordedPosition, line.undonePosition ?? 0]
  }
}

function instantsOf(line: PortableLine): number[] {
  switch (line.type) {
    case 'position':
      return [line.at]
    case 'sourceEvent':
      return [line.receivedAt]
    case 'version':
      return [line.createdAt]
    default:
      return []
  }
}

/** The rows of some lines, with their positions moved by `base`. */
export function toImportedRows(
  lines: readonly PortableLine[],
  { base, firstLine, newSalt }: { base: number; firstLine: number; newSalt: () => string },
): ImportedRows {
  const move = (position: number) => base + position
  const moveEnd = (position: number | null) => (position === null ? null : base + position)
  const of = <T extends PortableLine['type']>(type: T) => lines.filter((line): line is LineOf<T> => line.type === type)
  return {
    base,
    firstLine,
    positions: of('position').map(({ position, at, hash }) => ({ position, at, hash })),
    versions: of('version').map(({ type: _type, ...version }) => ({
      ...version,
      salt: newSalt(),
      createdPosition: move(version.createdPosition),
      recordedPosition: move(version.recordedPosition),
      endedPosition: moveEnd(version.endedPosition),
    })),
    sourceEvents: of('sourceEvent').map(({ type: _type, isErased, ...event }) => ({
      ...event,
      // Older files do not have the member; then it is derived from the markers in the messages.
      isHashPrivate: event.isHashPrivate ?? (event.messages === null || hasMarker(event.messages)),
      salt: isErased ? '' : newSalt(),
      recordedPosition: move(event.recordedPosition),
    })),
    claims: of('claim').map(({ type: _type, assertions, ...claim }) => ({
      claim: { ...claim, updatedPosition: move(claim.updatedPosition) },
      assertions: assertions.map((assertion) => ({
        ...assertion,
        claimId: claim.claimId,
        // It is read from the source event, which is imported too.
        actor: null,
        recordedPosition: move(assertion.recordedPosition),
        withdrawnPosition: moveEnd(assertion.withdrawnPosition),
      })),
    })),
    compactions: of('compaction').map(({ type: _type, sources, ...compaction }) => ({
      compaction: {
        ...compaction,
        recordedPosition: move(compaction.recordedPosition),
        undonePosition: moveEnd(compaction.undonePosition),
      },
      sources,
    })),
  }
}

function hasMarker(messages: readonly { readonly content: string }[]): boolean {
  return messages.some(({ content }) => findMarkers(content).length > 0)
}
