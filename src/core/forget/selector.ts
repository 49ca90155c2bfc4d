import { checkLookup } from '../check.ts'
import { refOfCommitments } from '../commitments/commitment.ts'
import { refOfArchives } from '../distillation/archive.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { isMemoryRef } from '../names.ts'
import { foldName, personOfRef, refOfPerson } from '../people/spelling.ts'
import { isEphemeralRef } from '../run/ephemeral.ts'
import { everySequence, type Fence, type FenceKind, type NewFence } from './fence.ts'
import { type NameScrubber, nameScrubber } from './name-scrubber.ts'

/** What a forget can select. `memory` is one entry; clients select it by deleting that memory with erasure. */
export type ForgetSelectorKind = 'subject' | 'memoryRef' | 'tag' | 'writer' | 'sourceEvent' | 'runId' | 'memory'

/** The rows that a forget erases: one kind and one value. */
export type ForgetSelector = { readonly kind: ForgetSelectorKind; readonly value: string }

/** A forget after its checks. */
export type ForgetRequest = {
  readonly selector: ForgetSelector
  readonly reason: string
  /** Whether entries that runs and compactions derived from the selected ones are erased too. */
  readonly cascade: boolean
  readonly dryRun: boolean
  /** Of a subject: whether other entries that mention it are listed, or erased with it. */
  readonly mentions: MentionsMode | null
}

/** What a forget does with mentions of the subject in other entries. */
export const mentionsModes = ['list', 'erase'] as const
export type MentionsMode = (typeof mentionsModes)[number]

const publicKinds = ['subject', 'memoryRef', 'tag', 'writer', 'sourceEvent', 'runId'] as const

/** The forget that a client requests: a value for exactly one of the kinds, and the reason. */
export type ForgetDraft = { readonly [Kind in (typeof publicKinds)[number]]?: string | undefined } & {
  readonly reason: string
  readonly cascade?: boolean | undefined
  readonly dryRun?: boolean | undefined
  readonly mentions?: MentionsMode | undefined
}

/** Checks the request of a client. */
export function parseForget(draft: ForgetDraft): ForgetRequest {
  const { reason, cascade = true, dryRun = false, mentions = null } = draft
  const given = publicKinds.flatMap((kind) => (draft[kind] === undefined ? [] : [{ kind, value: draft[kind] }]))
  const [selector] = given
  if (selector === undefined || given.length > 1)
    throw invalid('body', `must name exactly one of ${publicKinds.join(', ')}`)
  const { value } = selector
  if (value.length >= 3 && foldName(reason).toLowerCase().includes(foldName(value).toLowerCase()))
    throw invalid('reason', 'must not contain the forgotten name, because the reason is stored')
  if (mentions !== null && selector.kind !== 'subject')
    throw invalid('mentions', 'is only allowed when a subject is forgotten')
  return { selector, reason, cascade, dryRun, mentions }
}

/** The name in a forget: it may have characters that new names must not have. */
export function checkForgottenName(field: string, value: string): void {
  checkLookup(field, value, 'memoryRefCharactersMax', limits.memoryRefCharactersMax)
}

/** The memoryRef in a forget. */
export function checkForgottenRef(field: string, value: string): void {
  checkForgottenName(field, value)
  if (!isMemoryRef(value)) throw invalid(field, 'must be a well-formed memoryRef')
  if (isEphemeralRef(value)) throw invalid(field, 'is part of a run: use runId to forget the run')
}

const fenceKinds: Readonly<Record<ForgetSelectorKind, FenceKind>> = {
  subject: 'subject',
  memoryRef: 'ref',
  tag: 'tag',
  writer: 'writer',
  sourceEvent: 'event',
  runId: 'run',
  memory: 'entry',
}

/** The spelling of a person or of its ref by which two selectors are compared. Names of other things are compared as they are. */
export function foldSelector({ kind, value }: ForgetSelector): ForgetSelector {
  const isPerson = kind === 'subject' || (kind === 'memoryRef' && personOfRef(value) !== null)
  return { kind, value: isPerson ? foldName(value) : value }
}

/** The fences of a selector. Fences of derived entries are added when those are found. */
export function fencesOf({ kind, value }: ForgetSelector): NewFence[] {
  const fence = { kind: fenceKinds[kind], value, position: null, ...everySequence }
  const ofRef = (memoryRef: string): NewFence[] => [
    { ...fence, kind: 'ref', value: memoryRef },
    { ...fence, kind: 'ref', value: refOfCommitments(memoryRef) },
    { ...fence, kind: 'ref', value: refOfArchives(memoryRef) },
  ]
  if (kind === 'memoryRef') return ofRef(value)
  return kind === 'subject' ? [fence, ...ofRef(`subject:${value}`)] : [fence]
}

/** The memoryRefs whose names are erased too, not only their entries; in NFC. */
export function fencedRefs(fences: readonly Fence[]): string[] {
  return fences.flatMap(({ kind, value }) => (kind === 'ref' ? [foldName(value)] : []))
}

/** The names that must not remain anywhere: the memoryRefs and the subject; in NFC. */
export function fencedNames(fences: readonly Fence[]): string[] {
  return [...fencedRefs(fences), ...fencedPeople(fences)]
}

/** The people that are forgotten; in NFC. */
export function fencedPeople(fences: readonly Fence[]): string[] {
  return fences.flatMap(({ kind, value }) => (kind === 'subject' ? [foldName(value)] : []))
}

/**
 * Finds the forgotten people in texts of records. A ref that a client chose is no name of a person: a workflow that writes to it still may, and a key
 * may be called the same.
 */
export function scrubberOf(fences: readonly Fence[]): NameScrubber {
  return nameScrubber([...fencedPeople(fences), ...fencedRefs(fences).filter((ref) => refOfPerson.test(ref))])
}
