import { checkLookup } from '../check.ts'
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
  /** Of a subject: whether other entries that name it are looked for, or go with it. */
  readonly mentions: MentionsMode | null
}

export const mentionsModes = ['list', 'erase'] as const
export type MentionsMode = (typeof mentionsModes)[number]

const publicKinds = ['subject', 'memoryRef', 'tag', 'writer', 'sourceEvent', 'runId'] as const

/** What a client asks for: one of the kinds, and why. */
export type ForgetDraft = { readonly [Kind in (typeof publicKinds)[number]]?: string | undefined } & {
  readonly reason: string
  readonly cascade?: boolean | undefined
  readonly dryRun?: boolean | undefined
  readonly mentions?: MentionsMode | undefined
}

export function parseForget(draft: ForgetDraft): ForgetRequest {
  const { reason, cascade = true, dryRun = false, mentions = null } = draft
  const given = publicKinds.flatMap((kind) => (draft[kind] === undefined ? [] : [{ kind, value: draft[kind] }]))
  const [selector] = given
  if (selector === undefined || given.length > 1)
    throw invalid('body', `must name exactly one of ${publicKinds.join(', ')}`)
  const { value } = selector
  if (value.length >= 3 && reason.toLowerCase().includes(value.toLowerCase()))
    throw invalid('reason', 'must not name what is forgotten, because the reason is kept')
  if (mentions !== null && selector.kind !== 'subject') throw invalid('mentions', 'is only for forgetting a subject')
  return { selector, reason, cascade, dryRun, mentions }
}

export function checkForgottenName(field: string, value: string): void {
  checkLookup(field, value, 'memoryRefCharactersMax', limits.memoryRefCharactersMax)
}

export function checkForgottenRef(field: string, value: string): void {
  checkForgottenName(field, value)
  if (!isMemoryRef(value)) throw invalid(field, 'must be a well-formed memoryRef')
  if (isEphemeralRef(value)) throw invalid(field, 'is part of a run: forget the run by runId')
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
