// The rules of the memory claims in the discovery document, block by block.
import type { JsonObject } from '../harness.ts'

type Rule = (value: unknown) => boolean

const flag: Rule = (value) => typeof value === 'boolean'
const text: Rule = (value) => typeof value === 'string' && value !== ''
const atLeast =
  (least: number): Rule =>
  (value) =>
    Number.isInteger(value) && Number(value) >= least
const among =
  (...allowed: readonly unknown[]): Rule =>
  (value) =>
    allowed.includes(value)
const setOf =
  (...allowed: readonly unknown[]): Rule =>
  (value) =>
    Array.isArray(value) && new Set(value).size === value.length && value.every((item) => allowed.includes(item))

export type BlockRules = {
  readonly keys: Readonly<Record<string, Rule>>
  /** Keys the block must have. */
  readonly required: readonly string[]
  /** Keys it must have once it says supported: true. */
  readonly requiredWhenSupported?: readonly string[]
}

/** The open part of `memory`: other keys are allowed beside these. */
export const memoryKeys: Readonly<Record<string, Rule>> = {
  supported: flag,
  maxEntrySizeBytes: atLeast(1),
  ttlSupported: flag,
  writable: flag,
}

/** The closed blocks inside `memory`. */
export const memoryBlocks: Readonly<Record<string, BlockRules>> = {
  compaction: {
    keys: {
      supported: flag,
      trigger: among('host-managed', 'client-requested', 'both'),
      maxInputEntries: atLeast(1),
      maxOutputBytes: atLeast(0),
    },
    required: ['supported'],
    requiredWhenSupported: ['trigger'],
  },
  distillation: {
    keys: {
      supported: flag,
      maxTokenBudget: atLeast(1),
      scheduled: flag,
      indexEmitted: flag,
      tokenizerName: text,
      archiveRetention: text,
    },
    required: ['supported'],
  },
  attribution: { keys: { supported: among(true), emitsWriteEvents: flag }, required: ['supported'] },
  search: { keys: { supported: flag, modes: setOf('semantic', 'filter') }, required: ['supported'] },
  retention: { keys: { ttl: flag, forget: flag }, required: [] },
  injectionBudget: {
    keys: { supported: flag, tokenCounter: among('o200k_base', 'cl100k_base', 'chars', 'host-defined') },
    required: ['supported'],
    requiredWhenSupported: ['tokenCounter'],
  },
}

export const memoryBackends: Rule = setOf('long-term')

/** The closed memory blocks inside `agents`. */
export const agentBlocks: Readonly<Record<string, BlockRules>> = {
  memoryConsolidation: {
    keys: { supported: flag, schedule: among('host-managed', 'scheduled', 'on-demand') },
    required: ['supported'],
  },
  commitments: { keys: { supported: flag, fireConditions: setOf('time', 'predicate') }, required: ['supported'] },
}

/** What is wrong with the given keys of a block; other keys are not looked at. */
export function keyFaults(block: JsonObject, rules: Readonly<Record<string, Rule>>): string[] {
  return Object.entries(rules)
    .filter(([key, isRight]) => block[key] !== undefined && !isRight(block[key]))
    .map(([key]) => `${key} has a wrong value`)
}

export function blockFaults(block: JsonObject, rules: BlockRules): string[] {
  const required = [...rules.required, ...(block.supported === true ? (rules.requiredWhenSupported ?? []) : [])]
  return [
    ...keyFaults(block, rules.keys),
    ...required.filter((key) => block[key] === undefined).map((key) => `${key} is missing`),
    ...Object.keys(block)
      .filter((key) => rules.keys[key] === undefined)
      .map((key) => `${key} is unknown`),
  ]
}
