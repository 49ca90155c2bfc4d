/** Jobs of the host carry names of its own members and ids that it made, and what they give back is counts. */

const payloadNames = new Set([
  ...['runId', 'sourceEventId', 'writerId', 'webhookId', 'sequence', 'dryRun', 'askedAt'],
  ...['coalesced', 'later', 'count', 'since', 'until', 'ranges', 'fromSequence', 'toSequence', 'hasMoreRuns'],
])
const madeId = /^[a-z]+_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function isHostJob(kind: string): boolean {
  return kind.startsWith('colophon.')
}

/** Whether nothing in it came from outside: then a rule that happens to fit it must not take the job its way. */
export function isHostPayload(kind: string, payload: unknown): boolean {
  return isHostJob(kind) && payload !== null && typeof payload === 'object' && isOurs(payload)
}

function isOurs(value: unknown): boolean {
  if (typeof value === 'string') return madeId.test(value)
  if (Array.isArray(value)) return value.every(isOurs)
  if (value === null || typeof value !== 'object') return typeof value !== 'undefined'
  return Object.entries(value).every(([name, member]) => payloadNames.has(name) && isOurs(member))
}

const resultNames = new Set(['memoriesCreated', 'memoriesSuperseded', 'memoriesRejected', 'extractor', 'usage'])

/** The names of what a job of the host gives back; other names are their author's. */
export function isResultName(name: string): boolean {
  return resultNames.has(name)
}
