/** Jobs of the host: their payload has known member names and ids that the host made, and their result has counts. */

const payloadNames = new Set([
  ...['runId', 'sourceEventId', 'writerId', 'webhookId', 'sequence', 'dryRun', 'askedAt', 'webhookIds'],
  ...['coalesced', 'later', 'count', 'since', 'until', 'ranges', 'fromSequence', 'toSequence', 'hasMoreRuns'],
  ...['commitmentId', 'entryIds', 'heartbeatId'],
])
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
/** An id of the host; that of a commitment has the id of its entry after a dot. */
const madeId = new RegExp(`^[a-z]+_${uuid}$|^com_(?:${uuid}|[\\w-]{22})(?:\\.[a-z]+_(?:${uuid}|[\\w-]{22}))?$`)

/** Whether a job is one of the host's own, by its kind. */
export function isHostJob(kind: string): boolean {
  return kind.startsWith('colophon.')
}

/** Whether a payload contains only names and ids of the host. It is not redacted: a rule that matches an id would break the job. */
export function isHostPayload(kind: string, payload: unknown): boolean {
  return isHostJob(kind) && payload !== null && typeof payload === 'object' && isMadeByHost(payload)
}

function isMadeByHost(value: unknown): boolean {
  if (typeof value === 'string') return madeId.test(value)
  if (Array.isArray(value)) return value.every(isMadeByHost)
  if (value === null || typeof value !== 'object') return typeof value !== 'undefined'
  return Object.entries(value).every(([name, member]) => payloadNames.has(name) && isMadeByHost(member))
}

const resultNames = new Set([
  'memoriesCreated',
  'memoriesSuperseded',
  'memoriesRejected',
  'memoriesUnmarked',
  'decided',
  'emptyReason',
  'extractor',
  'usage',
])

/** Whether a member name is one that results of the host's jobs have. Other names come from the author of the job. */
export function isResultName(name: string): boolean {
  return resultNames.has(name)
}
