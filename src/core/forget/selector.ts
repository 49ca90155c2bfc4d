import { checkIdentifier, checkKnownKeys, checkText } from '../check.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { isMemoryRef } from '../names.ts'
import { isEphemeralRef } from '../run/ephemeral.ts'
import { everySequence, type Fence, type FenceKind, type NewFence } from './fence.ts'

/** What can be forgotten. `memory` is one entry; callers ask for it by deleting the memory for good. */
export type SelectorKind = 'subject' | 'memoryRef' | 'tag' | 'writer' | 'sourceEvent' | 'runId' | 'memory'

export type Selector = { readonly kind: SelectorKind; readonly value: string }

export type ForgetRequest = {
  readonly selector: Selector
  readonly reason: string
  /** Whether what runs and compactions made of it goes too. */
  readonly cascade: boolean
  readonly dryRun: boolean
}

const publicKinds = ['subject', 'memoryRef', 'tag', 'writer', 'sourceEvent', 'runId'] as const

export function parseForget(body: Readonly<Record<string, unknown>>): ForgetRequest {
  checkKnownKeys('body', body, [...publicKinds, 'reason', 'cascade', 'dryRun'])
  const { reason, cascade = true, dryRun = false } = body
  if (typeof cascade !== 'boolean') throw invalid('cascade', 'must be true or false')
  if (typeof dryRun !== 'boolean') throw invalid('dryRun', 'must be true or false')
  const selector = parseSelector(body)
  checkReason(reason, selector)
  return { selector, reason, cascade, dryRun }
}

function parseSelector(body: Readonly<Record<string, unknown>>): Selector {
  const given = publicKinds.filter((kind) => body[kind] !== undefined)
  const [kind] = given
  if (kind === undefined || given.length > 1)
    throw invalid('body', `must name exactly one of ${publicKinds.join(', ')}`)
  const value = body[kind]
  checkIdentifier(kind, value, 'memoryRefCharactersMax', limits.memoryRefCharactersMax)
  if (kind === 'memoryRef') {
    if (!isMemoryRef(value)) throw invalid('memoryRef', 'must be a well-formed memoryRef')
    if (isEphemeralRef(value)) throw invalid('memoryRef', 'is part of a run: forget the run by runId')
  }
  return { kind, value }
}

/** The reason stays, so it must not hold what goes. */
function checkReason(reason: unknown, { value }: Selector): asserts reason is string {
  checkText('reason', reason)
  const max = limits.runReasonCharactersMax
  if (reason.trim() === '' || reason.length > max)
    throw invalid('reason', `must say why, in at most ${max} characters`, { limit: 'runReasonCharactersMax', max })
  if (value.length >= 3 && reason.toLowerCase().includes(value.toLowerCase()))
    throw invalid('reason', 'must not name what is forgotten, because the reason is kept')
}

const fenceKinds: Readonly<Record<SelectorKind, FenceKind>> = {
  subject: 'subject',
  memoryRef: 'ref',
  tag: 'tag',
  writer: 'writer',
  sourceEvent: 'event',
  runId: 'run',
  memory: 'entry',
}

/** The lines that hide what is selected; those of what was made of it come when it is found. */
export function fencesOf({ kind, value }: Selector): NewFence[] {
  const line = { kind: fenceKinds[kind], value, position: null, ...everySequence }
  return kind === 'subject' ? [line, { ...line, kind: 'ref', value: `subject:${value}` }] : [line]
}

/** The refs that are forgotten as names, not only emptied. */
export function namedRefs(fences: readonly Fence[]): string[] {
  return fences.flatMap(({ kind, value }) => (kind === 'ref' ? [value] : []))
}

/** The names that must not be left anywhere: the refs, and the subject itself. */
export function namesIn(fences: readonly Fence[]): string[] {
  return fences.flatMap(({ kind, value }) => (kind === 'ref' || kind === 'subject' ? [value] : []))
}
