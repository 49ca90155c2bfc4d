import type { AdminRecord } from '../admin.ts'
import type { EntryVersion } from '../entries/entry.ts'
import type { Job } from '../jobs/job.ts'
import type { Schedule } from '../jobs/schedule.ts'
import type { Assertion } from '../provenance/claim.ts'
import type { SourceEventRecord } from '../provenance/source-event.ts'
import type { MemoryCall } from '../run/memory-call.ts'
import type { Run, RunEvent } from '../run/run.ts'

/**
 * What the quota of bytes counts of each row: all texts of which a client decides how long they are, as they are stored. Ids, hashes, instants, the
 * audit and indexes are not counted: of them there is so much for each row, whatever it says.
 */

/** The tables beside the versions of entries, which are counted by position. */
export const countedTables = [
  'sourceEvents',
  'records',
  'runs',
  'runEvents',
  'runCalls',
  'assertions',
  'jobs',
  'schedules',
] as const

export type CountedTable = (typeof countedTables)[number]

type Text = string | null | undefined

function bytesOf(...texts: readonly Text[]): number {
  let bytes = 0
  for (const text of texts) if (text) bytes += Buffer.byteLength(text)
  return bytes
}

/** How most structures are stored: nothing at all for null. */
const json = (value: unknown): Text => (value === null || value === undefined ? null : JSON.stringify(value))

export function bytesOfVersion(
  version: Pick<EntryVersion, 'memoryRef' | 'content' | 'tags'> &
    Partial<Pick<EntryVersion, 'subject' | 'classification' | 'readers'>>,
): number {
  const { memoryRef, content, tags, subject, classification, readers } = version
  return bytesOf(memoryRef, content, JSON.stringify(tags), subject, json(classification), json(readers))
}

type CountedSource = Pick<
  SourceEventRecord,
  'eventId' | 'subject' | 'scope' | 'evidence' | 'metadata' | 'messages' | 'readers'
>

export function bytesOfSource({ eventId, subject, scope, evidence, metadata, messages, readers }: CountedSource) {
  return bytesOf(
    ...[eventId, subject, json(scope), json(evidence), JSON.stringify(metadata), json(messages), json(readers)],
  )
}

export function bytesOfRecord({ id, body }: Pick<AdminRecord, 'id' | 'body'>): number {
  return bytesOf(id, JSON.stringify(body))
}

export function bytesOfRun({ facts, text }: Pick<Run, 'facts' | 'text'>): number {
  return bytesOf(JSON.stringify(text.tags), JSON.stringify(facts), JSON.stringify(text))
}

export function bytesOfEvent({ payload }: Pick<RunEvent, 'payload'>): number {
  return bytesOf(JSON.stringify(payload))
}

export function bytesOfCall({ memoryRef, entries }: Pick<MemoryCall, 'memoryRef' | 'entries'>): number {
  return bytesOf(memoryRef, JSON.stringify(entries))
}

export function bytesOfAssertion({
  eventId,
  content,
  contentKey,
}: Pick<Assertion, 'eventId' | 'content' | 'contentKey'>) {
  return bytesOf(eventId, content, contentKey)
}

export function bytesOfJob({
  payload,
  progress,
  error,
  result,
}: Pick<Job, 'payload'> & Partial<Pick<Job, 'progress' | 'error' | 'result'>>): number {
  return bytesOf(JSON.stringify(payload), json(progress), json(error), json(result))
}

export function bytesOfSchedule({ payload }: Pick<Schedule, 'payload'>): number {
  return bytesOf(JSON.stringify(payload))
}
