import { checkCount, checkLookup, parseInstant } from '../check.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import type { SourceEventRecord } from '../provenance/source-event.ts'

/** What can be contained: a compromised key, a source service, one source event, a run, or an agent. */
export const containmentKinds = ['key', 'writer', 'sourceEvent', 'run', 'agent'] as const

export type ContainmentSelector = { readonly kind: (typeof containmentKinds)[number]; readonly value: string }

/** The containment that a client requests: a value for exactly one of the kinds. */
export type ContainmentDraft = { readonly [Kind in (typeof containmentKinds)[number]]?: string | undefined } & {
  /** Only what came from it since then: an instant, or a position. */
  readonly since?: string | number | undefined
  readonly reason?: string | undefined
  readonly dryRun?: boolean | undefined
}

/** A containment after its checks. */
export type ContainmentRequest = {
  readonly selector: ContainmentSelector
  readonly since: { readonly position: number } | { readonly instant: number } | null
  readonly reason: string | null
  readonly dryRun: boolean
}

/** What an active containment covers: its selector, and the positions between which it came. */
export type ContainedRange = {
  readonly id: string
  readonly selector: ContainmentSelector
  /** The first position. */
  readonly from: number
  /** The position of the containment. */
  readonly position: number
}

export function parseContainment(draft: ContainmentDraft): ContainmentRequest {
  const given = containmentKinds.flatMap((kind) => (draft[kind] === undefined ? [] : [{ kind, value: draft[kind] }]))
  const [selector] = given
  if (selector === undefined || given.length > 1)
    throw invalid('body', `must name exactly one of ${containmentKinds.join(', ')}`)
  const { kind, value } = selector
  checkLookup(kind, value, 'memoryRefCharactersMax', limits.memoryRefCharactersMax)
  if (kind === 'key' && value.includes('.')) throw invalid('key', 'must be the id of the key, not the key itself')
  const { since, reason = null, dryRun = false } = draft
  return { selector, since: parseSince(since), reason, dryRun }
}

function parseSince(since: string | number | undefined): ContainmentRequest['since'] {
  if (since === undefined) return null
  if (typeof since === 'string' && !/^\d{1,15}$/.test(since)) return { instant: parseInstant('since', since) }
  const position = Number(since)
  checkCount('since', position, 0)
  return { position }
}

/** The actor of the commits of a contained key. */
export function actorOf({ kind, value }: ContainmentSelector): string | null {
  return kind === 'key' ? `key:${value}` : null
}

type StatedEvent = Pick<SourceEventRecord, 'sourceEventId' | 'service' | 'agentId' | 'actor' | 'recordedPosition'>

/** Whether a source event came from what a selector names. */
export function isOfSelector(event: StatedEvent, { kind, value }: ContainmentSelector): boolean {
  switch (kind) {
    case 'key':
      return event.actor === `key:${value}`
    case 'writer':
      return event.service === value
    case 'sourceEvent':
      return event.sourceEventId === value
    case 'agent':
      return event.agentId === value
    case 'run':
      return false
  }
}

/** The active containments that cover a source event, by id. Null when there is none. */
export function containmentsOf(event: StatedEvent, ranges: readonly ContainedRange[]): readonly string[] | null {
  const ids = ranges
    .filter(({ from, position }) => event.recordedPosition >= from && event.recordedPosition < position)
    .filter(({ selector }) => isOfSelector(event, selector))
    .map(({ id }) => id)
  return ids.length === 0 ? null : ids
}
