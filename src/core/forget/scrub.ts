import type { Interrupt, InterruptRequest } from '../run/interrupt.ts'
import type { MemoryCall, NewRunEvent, Run, RunEvent, RunText, ShortenedCall } from '../run/run.ts'
import { isEnded } from '../run/run.ts'
import { erasedValue, isErased } from '../workflow/erased.ts'
import { isJsonObject } from '../workflow/json.ts'

/** What a run may hold of the things that are forgotten. */
export type Forgotten = {
  readonly entryIds: ReadonlySet<string>
  /** What those entries said. */
  readonly texts: readonly string[]
  /** Names that must not be left: the subject and its ref. */
  readonly names: ReadonlySet<string>
  readonly refs: ReadonlySet<string>
}

/** Shorter texts stand in too many others by chance; they count only when they are the whole. */
const partCharactersMin = 4

const forgottenMark = '[FORGOTTEN]'

export function holds(value: unknown, forgotten: Forgotten): boolean {
  if (isErased(value)) return false
  if (typeof value === 'string') return holdsText(value, forgotten)
  if (Array.isArray(value)) return value.some((item) => holds(item, forgotten))
  if (value === null || typeof value !== 'object') return false
  const { id } = value as { id?: unknown }
  if (typeof id === 'string' && forgotten.entryIds.has(id)) return true
  return Object.entries(value).some(([key, item]) => holdsText(key, forgotten) || holds(item, forgotten))
}

function holdsText(value: string, { entryIds, texts, names }: Forgotten): boolean {
  if (entryIds.has(value) || names.has(value)) return true
  return texts.some((text) => text === value || (text.length >= partCharactersMin && value.includes(text)))
}

type Values = Readonly<Record<string, unknown>>

/**
 * A run's text without what is forgotten. Values that templates can name are marked as erased, so that no template becomes
 * another text; everything else becomes null. Of a run that has ended all of them do: it is unknown what a node made of what
 * it read. Those are marked too, because a parent may still take them.
 */
export function scrubText(run: Run, forgotten: Forgotten): RunText {
  const { text } = run
  const isOver = isEnded(run.status)
  const replace = (values: Values, by: unknown, isGone: (value: unknown) => boolean): Values =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isGone(value) ? by : value]))
  const isForgotten = (value: unknown) => holds(value, forgotten)
  const clean = (values: Values): Values => replace(values, null, isForgotten)
  const marked = (values: Values): Values => replace(values, erasedValue, isForgotten)
  const emptied = (values: Values): Values => (isOver ? replace(values, erasedValue, () => true) : marked(values))
  const each = <T>(byName: Readonly<Record<string, T>>, change: (value: T) => T) =>
    Object.fromEntries(Object.entries(byName).map(([name, value]) => [name, change(value)]))
  return {
    inputs: marked(text.inputs),
    variables: emptied(text.variables),
    outputs: each(text.outputs, emptied),
    configurable: clean(text.configurable),
    tags: text.tags.filter((tag) => !holds(tag, forgotten)),
    metadata: clean(text.metadata),
    interrupts: each(text.interrupts, (interrupt) => scrubInterrupt(interrupt, forgotten, isOver)),
    ephemeral: each(text.ephemeral, (entries) => entries.filter((entry) => !holds(entry, forgotten))),
    pauseReason: text.pauseReason !== null && holds(text.pauseReason, forgotten) ? null : text.pauseReason,
    error: text.error && { code: text.error.code, message: markText(text.error.message, forgotten) },
  }
}

/** A question stays one that can be answered: its words are marked, its form and its actions stay. */
function scrubInterrupt(interrupt: Interrupt, forgotten: Forgotten, isOver: boolean): Interrupt {
  const { request, resolution } = interrupt
  const marked = markQuestion(request, forgotten)
  if (isOver) {
    const data = Object.fromEntries(Object.keys(request.data).map((name) => [name, null]))
    const given = resolution && { ...resolution, value: erasedValue }
    return { ...interrupt, request: { ...marked, key: forgottenMark, data }, resolution: given }
  }
  const given = resolution && { ...resolution, value: markAnswer(request.kind, resolution.value, forgotten) }
  return { ...interrupt, request: marked, resolution: given }
}

function markQuestion(request: InterruptRequest, forgotten: Forgotten): InterruptRequest {
  const data = Object.entries(request.data).map(([name, value]) => {
    if (name === 'actions') return [name, value]
    // Marked as erased: no answer may fit what an answer can no longer be compared with.
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

/** The decision on an approval is no text: a rejection stays one, whatever was written beside it. */
function markAnswer(kind: InterruptRequest['kind'], value: unknown, forgotten: Forgotten): unknown {
  if (!isJsonObject(value)) return holds(value, forgotten) ? erasedValue : value
  const decision = kind === 'approval' ? { action: value.action } : {}
  return { ...(markMembers(value, forgotten) as Values), ...decision }
}

/** A member whose name is forgotten keeps its place: a question must not ask for less than it did. */
function markMembers(value: unknown, forgotten: Forgotten): unknown {
  if (!isJsonObject(value) || isErased(value)) return value
  const members = Object.entries(value).map(([name, item]) => {
    const isNamed = holdsText(name, forgotten)
    return [isNamed ? forgottenMark : name, isNamed || holds(item, forgotten) ? erasedValue : item]
  })
  return Object.fromEntries(members) as Values
}

function markText(text: string, forgotten: Forgotten): string {
  return holdsText(text, forgotten) ? forgottenMark : text
}

/** The same value with a mark in place of every string that holds something forgotten. */
export function markStrings(value: unknown, forgotten: Forgotten): unknown {
  if (typeof value === 'string') return markText(value, forgotten)
  if (Array.isArray(value)) return value.map((item) => markStrings(item, forgotten))
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).map(([key, item]) => [markText(key, forgotten), markStrings(item, forgotten)])
  return Object.fromEntries(members) as unknown
}

/** The event with its words marked and the refs gone, or null when there is nothing in it. The ids of entries stay: they tell nothing. */
export function scrubEvent(
  event: RunEvent,
  split: NewRunEvent,
  forgotten: Forgotten,
): (NewRunEvent & { readonly sequence: number }) | null {
  const inWords = { ...forgotten, entryIds: new Set<string>() }
  const { memoryRef } = split.facts
  const isNamed = typeof memoryRef === 'string' && forgotten.refs.has(memoryRef)
  if (!isNamed && !holds(split.text ?? {}, inWords)) return null
  const facts = isNamed ? { ...split.facts, memoryRef: '' } : split.facts
  return { ...split, facts, text: markStrings(split.text ?? {}, inWords) as Values, sequence: event.sequence }
}

/** The calls that named something forgotten, without it. */
export function shortenCalls(calls: readonly MemoryCall[], forgotten: Forgotten): ShortenedCall[] {
  return calls.flatMap(({ ordinal, memoryRef, entries, forgotten: before = 0 }) => {
    const left = entries.filter(({ id }) => !forgotten.entryIds.has(id))
    const isNamed = forgotten.refs.has(memoryRef)
    if (left.length === entries.length && !isNamed) return []
    const gone = before + entries.length - left.length
    return [{ ordinal, memoryRef: isNamed ? '' : memoryRef, entries: left, forgotten: gone }]
  })
}
