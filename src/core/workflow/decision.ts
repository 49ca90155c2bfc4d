import { checkKnownKeys } from '../check.ts'
import { invalid } from '../errors.ts'
import { isJsonObject } from './json-values.ts'
import { list, text } from './shape-checks.ts'

/** What a supervisor decides in one turn. OpenWOP closes the shape. */
export type Decision =
  /** Run these workflows as child runs, one after another. */
  | { readonly kind: 'next-worker'; readonly nextWorkerIds: readonly string[]; readonly confidence?: number }
  /** Ask a person. */
  | { readonly kind: 'ask-user'; readonly prompt: string }
  /** End the loop. */
  | {
      readonly kind: 'terminate'
      readonly reason?: string
      readonly confidence?: number
      readonly successCriteria?: readonly { readonly key: string; readonly met: boolean }[]
    }

const members = {
  'next-worker': ['kind', 'nextWorkerIds', 'confidence'],
  'ask-user': ['kind', 'prompt'],
  terminate: ['kind', 'reason', 'confidence', 'successCriteria'],
} as const

const kinds = Object.keys(members) as readonly Decision['kind'][]

/** Checks the shape of a decision. At registration texts may be templates, so `toDecision` checks their values again. */
export function checkDecision(field: string, value: unknown): asserts value is Decision {
  if (!isJsonObject(value)) throw invalid(field, 'must be an object')
  const kind = kinds.find((name) => name === value.kind)
  if (kind === undefined) throw invalid(`${field}.kind`, `must be one of ${kinds.join(', ')}`)
  checkKnownKeys(field, value, members[kind])
  if (value.confidence !== undefined && !isConfidence(value.confidence))
    throw invalid(`${field}.confidence`, 'must be a number from 0 to 1')
  if (kind === 'next-worker') checkWorkers(`${field}.nextWorkerIds`, value.nextWorkerIds)
  if (kind === 'ask-user' && !isText(value.prompt)) throw invalid(`${field}.prompt`, 'must be a text')
  if (kind === 'terminate') checkTermination(field, value)
}

/** The members of a value that a decision of its kind has: a model may add others. Undefined when it has no kind. */
export function decisionMembers(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const kind = kinds.find((name) => name === value.kind)
  const known: readonly string[] = kind === undefined ? [] : members[kind]
  return Object.fromEntries(Object.entries(value).filter(([name]) => known.includes(name)))
}

/** The decision without its confidence. */
export function withoutConfidence(decision: Decision): Decision {
  if (decision.kind === 'ask-user') return decision
  const { confidence: _stated, ...rest } = decision
  return rest
}

const checkWorkers = list(text('workerIdCharactersMax'), 'decisionWorkersMax', 1)

function checkTermination(field: string, { reason, successCriteria }: Readonly<Record<string, unknown>>): void {
  if (reason !== undefined && !isText(reason)) throw invalid(`${field}.reason`, 'must be a text')
  if (successCriteria === undefined) return
  const areCriteria =
    Array.isArray(successCriteria) &&
    successCriteria.every(
      (item) =>
        isJsonObject(item) && isText(item.key) && typeof item.met === 'boolean' && Object.keys(item).length === 2,
    )
  if (!areCriteria) throw invalid(`${field}.successCriteria`, 'must be a list of {key, met}')
}

/** Whether a value is a confidence: a number from 0 to 1. */
export function isConfidence(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1
}

/** The confidence that a decision states; undefined for none, which is not a low one. */
export function confidenceOf(decision: Decision): number | undefined {
  return decision.kind === 'ask-user' ? undefined : decision.confidence
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
