import { foldName } from '../people/spelling.ts'
import type { Message } from '../run/channel.ts'
import type { Interrupt, InterruptRequest } from '../run/interrupt.ts'
import type { MemoryCall, ShortenedCall } from '../run/memory-call.ts'
import type { NewRunEvent, Run, RunEvent, RunText } from '../run/run.ts'
import { isEnded } from '../run/run.ts'
import { erasedValue, isErased } from '../workflow/erased-value.ts'
import { isJsonObject } from '../workflow/json-values.ts'
import { forgottenMark } from './name-scrubber.ts'

/** What is searched for in a run when entries are forgotten. */
export type ForgottenValues = {
  readonly entryIds: ReadonlySet<string>
  /** The texts of those entries. */
  readonly texts: readonly string[]
  /** Names that must not remain, in NFC: the subject and its ref. */
  readonly names: ReadonlySet<string>
  readonly refs: ReadonlySet<string>
}

/** Shorter texts occur in others by chance, so they only match the whole value. */
const partCharactersMin = 4

/** Whether a JSON value contains a forgotten id, name or text. */
function containsForgotten(value: unknown, forgotten: ForgottenValues): boolean {
  if (isErased(value)) return false
  if (typeof value === 'string') return holdsText(value, forgotten)
  if (Array.isArray(value)) return value.some((item) => containsForgotten(item, forgotten))
  if (value === null || typeof value !== 'object') return false
  const { id } = value as { id?: unknown }
  if (typeof id === 'string' && forgotten.entryIds.has(id)) return true
  return Object.entries(value).some(([key, item]) => holdsText(key, forgotten) || containsForgotten(item, forgotten))
}

function holdsText(value: string, { entryIds, texts, names }: ForgottenValues): boolean {
  if (entryIds.has(value) || names.has(foldName(value))) return true
  return texts.some((text) => text === value || (text.length >= partCharactersMin && value.includes(text)))
}

type Values = Readonly<Record<string, unknown>>

/**
 * The text of a run without forgotten values. Values that templates can read become `erasedValue`, so that no template resolves to
 * another text; everything else becomes null. In a run that has ended, all variables and outputs, and the inputs of a child, are erased,
 * because a node may have derived them from what it read. They become `erasedValue` too, because a parent run may still read them. A run that
 * has read nothing forgotten loses only what names it.
 */
export function scrubRunText(run: Run, forgotten: ForgottenValues, hasRead = true): RunText {
  const { text } = run
  const hasEnded = isEnded(run.status) && hasRead
  const replace = (values: Values, by: unknown, isReplaced: (value: unknown) => boolean): Values =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isReplaced(value) ? by : value]))
  const isForgotten = (value: unknown) => containsForgotten(value, forgotten)
  const clean = (values: Values): Values => replace(values, null, isForgotten)
  const marked = (values: Values): Values => replace(values, erasedValue, isForgotten)
  const emptied = (values: Values): Values => (hasEnded ? replace(values, erasedValue, () => true) : marked(values))
  const each = <T>(byName: Readonly<Record<string, T>>, change: (value: T) => T) =>
    Object.fromEntries(Object.entries(byName).map(([name, value]) => [name, change(value)]))
  // A model may have derived an answer from what was forgotten, as a node derives a variable.
  const scrubAnswers = (answers: readonly unknown[]) =>
    answers.map((answer) => (hasEnded || isForgotten(answer) ? erasedValue : answer))
  return {
    // Those of a child are values of its parent, which may hold what another run of the family read.
    inputs: run.facts.parent === null ? marked(text.inputs) : emptied(text.inputs),
    variables: emptied(text.variables),
    outputs: each(text.outputs, emptied),
    configurable: clean(text.configurable),
    tags: text.tags.filter((tag) => !containsForgotten(tag, forgotten)),
    metadata: clean(text.metadata),
    interrupts: each(text.interrupts, (interrupt) => scrubInterrupt(interrupt, forgotten, hasEnded)),
    ephemeral: each(text.ephemeral, (entries) => entries.filter((entry) => !containsForgotten(entry, forgotten))),
    ...(text.agents === undefined ? {} : { agents: markStrings(text.agents, forgotten) as RunText['agents'] & object }),
    ...(text.answers === undefined ? {} : { answers: each(text.answers, scrubAnswers) }),
    pauseReason: text.pauseReason !== null && containsForgotten(text.pauseReason, forgotten) ? null : text.pauseReason,
    error: text.error && { code: text.error.code, message: markText(text.error.message, forgotten) },
    ...(text.channels === undefined
      ? {}
      : {
          channels: each(text.channels, (messages) =>
            messages.map((message) => scrubMessage(message, forgotten, hasEnded)),
          ),
        }),
    ...(text.decision === undefined ? {} : { decision: markStrings(text.decision, forgotten) as typeof text.decision }),
  }
}

/** The ids of a message stay, so that a message is not added twice. */
function scrubMessage(message: Message, forgotten: ForgottenValues, hasEnded: boolean): Message {
  const from = markText(message.from, forgotten)
  return hasEnded || containsForgotten(message.content, forgotten)
    ? { ...message, from, content: erasedValue }
    : { ...message, from }
}

/** An interrupt can still be resolved: its texts are replaced, its schema and its actions stay. */
function scrubInterrupt(interrupt: Interrupt, forgotten: ForgottenValues, hasEnded: boolean): Interrupt {
  const { request, resolution } = interrupt
  const marked = markRequest(request, forgotten)
  if (hasEnded) {
    const data = Object.fromEntries(Object.keys(request.data).map((name) => [name, null]))
    const erased = resolution && { ...resolution, value: erasedValue }
    return { ...interrupt, request: { ...marked, key: forgottenMark, data }, resolution: erased }
  }
  const value = resolution && markResolution(request.kind, resolution.value, forgotten)
  return { ...interrupt, request: marked, resolution: resolution && { ...resolution, value } }
}

function markRequest(request: InterruptRequest, forgotten: ForgottenValues): InterruptRequest {
  const data = Object.entries(request.data).map(([name, value]) => {
    if (name === 'actions') return [name, value]
    // Erased: a resolution cannot be compared with a forgotten correlation, so none matches.
    if (name === 'correlation') return [name, markMembers(value, forgotten)]
    return [name, markStrings(value, forgotten)]
  })
  const { resumeSchema } = request
  return {
    ...request,
    key: markText(request.key, forgotten),
    data: Object.fromEntries(data) as Values,
    ...(resumeSchema === undefined ? {} : { resumeSchema: markStrings(resumeSchema, forgotten) as Values }),
  }
}

/** The action of an approval stays: a rejection must not become something else when its comment is erased. */
function markResolution(kind: InterruptRequest['kind'], value: unknown, forgotten: ForgottenValues): unknown {
  if (!isJsonObject(value)) return containsForgotten(value, forgotten) ? erasedValue : value
  const decision = kind === 'approval' || kind === 'low-confidence' ? { action: value.action } : {}
  return { ...(markMembers(value, forgotten) as Values), ...decision }
}

/** A member whose name is forgotten stays under another name: the correlation must not have fewer members than before. */
function markMembers(value: unknown, forgotten: ForgottenValues): unknown {
  if (!isJsonObject(value) || isErased(value)) return value
  const members = Object.entries(value).map(([name, item]) => {
    const isNamed = holdsText(name, forgotten)
    return [isNamed ? forgottenMark : name, isNamed || containsForgotten(item, forgotten) ? erasedValue : item]
  })
  return Object.fromEntries(members) as Values
}

function markText(text: string, forgotten: ForgottenValues): string {
  return holdsText(text, forgotten) ? forgottenMark : text
}

/** A copy of the value in which a marker replaces every string that contains a forgotten name or text. */
function markStrings(value: unknown, forgotten: ForgottenValues): unknown {
  if (typeof value === 'string') return markText(value, forgotten)
  if (Array.isArray(value)) return value.map((item) => markStrings(item, forgotten))
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).map(([key, item]) => [markText(key, forgotten), markStrings(item, forgotten)])
  return Object.fromEntries(members) as unknown
}

/** The same for the members of a record whose names the host chose: a forgotten name may be the same word. */
export function markMemberTexts<Record extends object>(record: Record, forgotten: ForgottenValues): Record {
  const members = Object.entries(record).map(([name, value]) => [name, markStrings(value, forgotten)])
  return Object.fromEntries(members) as Record
}

/** Whether two values are the same as JSON. What is scrubbed keeps the order of its members. */
export function isSameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** The event without forgotten texts and refs; null when it contains none. Entry ids stay: they reveal no content. */
export function scrubRunEvent(
  event: RunEvent,
  split: NewRunEvent,
  forgotten: ForgottenValues,
): (NewRunEvent & { readonly sequence: number }) | null {
  const withoutIds = { ...forgotten, entryIds: new Set<string>() }
  const { memoryRef } = split.facts
  const isNamed = typeof memoryRef === 'string' && forgotten.refs.has(foldName(memoryRef))
  const { text: before = {} } = split
  const text = markMemberTexts(before, withoutIds)
  if (!isNamed && isSameJson(text, before)) return null
  const facts = isNamed ? { ...split.facts, memoryRef: '' } : split.facts
  return { ...split, facts, text, sequence: event.sequence }
}

/** The memory calls that named forgotten entries or refs, without them. */
export function shortenCalls(calls: readonly MemoryCall[], forgotten: ForgottenValues): ShortenedCall[] {
  return calls.flatMap(({ ordinal, memoryRef, entries, forgotten: before = 0 }) => {
    const left = entries.filter(({ id }) => !forgotten.entryIds.has(id))
    const isNamed = forgotten.refs.has(foldName(memoryRef))
    if (left.length === entries.length && !isNamed) return []
    const count = before + entries.length - left.length
    return [{ ordinal, memoryRef: isNamed ? '' : memoryRef, entries: left, forgotten: count }]
  })
}
