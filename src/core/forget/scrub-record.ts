import type { AdminBody, AdminKind } from '../admin.ts'
import type { Readers } from '../entries/readers.ts'
import { erasedValue } from '../workflow/erased-value.ts'
import { mapTexts, type NameScrubber } from './name-scrubber.ts'

/** What is searched for in administered records. */
export type ForgottenPerson = NameScrubber & {
  /** What replaces the person where readers are named: a keyed digest, so that no other person gets the same rights. */
  readonly pseudonymOf: (reader: string) => string
}

type Scrub = (body: AdminBody, person: ForgottenPerson, now: number) => AdminBody

const scrubTexts: Scrub = (body, { scrub }) => ({ ...body, text: mapTexts(body.text, scrub) as AdminBody['text'] })

const scrubReader: Scrub = (body, { isName, pseudonymOf }) => {
  const reader = body.facts?.reader
  if (typeof reader !== 'string' || !isName(reader)) return body
  return { ...body, facts: { ...body.facts, reader: pseudonymOf(reader) } }
}

/** A key that is bound to a forgotten person is revoked: it read for that person only. */
const scrubKey: Scrub = (body, person, now) => {
  const clean = scrubReader(scrubTexts(body, person, now), person, now)
  if (clean.facts === body.facts) return clean
  const { revokedAt } = clean.facts as { readonly revokedAt: number | null }
  return { ...clean, facts: { ...clean.facts, revokedAt: Math.min(revokedAt ?? now, now), isRevoked: true } }
}

/** The members of an agent that are texts. The others are ids and settings. */
const agentTexts = new Set(['persona', 'label', 'description', 'systemPrompt', 'promptOverrides'])

const scrubAgent: Scrub = (body, { scrub }) => {
  const members = Object.entries(body.text)
  const text = members.map(([name, value]) => [name, agentTexts.has(name) ? mapTexts(value, scrub) : value])
  return { ...body, text: Object.fromEntries(text) as AdminBody['text'] }
}

/** The members of a workflow, at any level, whose values nodes read: a named one becomes erased, as in a run. */
const valueMembers = new Set(['config', 'value', 'defaultValue'])
/** Those that only people read. */
const proseMembers = new Set(['name', 'description', 'notes', 'label', 'metadata'])

/**
 * A text that nodes read is erased whole, and never becomes another text: a node must not write to another ref. The paths in
 * its templates are names of the workflow, and stay.
 */
const scrubWorkflow: Scrub = (body, { isNamed, scrub }) => {
  const value = (text: string) => (isNamed(text.replace(/\{\{[^{}]*\}\}/g, ' ')) ? erasedValue : text)
  const visit = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(visit)
    if (item === null || typeof item !== 'object') return item
    const members = Object.entries(item).flatMap(([name, member]): [string, unknown][] => {
      if (valueMembers.has(name)) return [[name, mapTexts(member, value)]]
      if (proseMembers.has(name)) return [[name, mapTexts(member, scrub)]]
      // The memory of the agent that a node acts for: without it, the agent has none.
      if (name === 'memoryRef' && isNamed(String(member))) return []
      return [[name, visit(member)]]
    })
    return Object.fromEntries(members) as unknown
  }
  return { ...body, text: visit(body.text) as AdminBody['text'] }
}

/** How records of each kind are scrubbed. The others have no text of people: ids, settings, sealed values. */
const scrubbers: Partial<Record<AdminKind, Scrub>> = {
  key: scrubKey,
  writer: scrubTexts,
  rule: scrubTexts,
  agent: scrubAgent,
  heartbeat: scrubReader,
  forget: scrubTexts,
  quarantine: scrubTexts,
  containment: scrubTexts,
  'workflow-version': scrubWorkflow,
}

export const scrubbedKinds = Object.keys(scrubbers) as AdminKind[]

/** The record without the forgotten names; null when it has none of them. */
export function scrubRecord(kind: AdminKind, body: AdminBody, person: ForgottenPerson, now: number): AdminBody | null {
  const clean = scrubbers[kind]?.(body, person, now) ?? body
  return JSON.stringify(clean) === JSON.stringify(body) ? null : clean
}

/** The readers with a pseudonym in place of a forgotten person. The same list if it names none. */
export function scrubReaders(readers: Readers, { isName, pseudonymOf }: ForgottenPerson): Readers {
  if (readers === null || !readers.some(isName)) return readers
  return [...new Set(readers.map((reader) => (isName(reader) ? pseudonymOf(reader) : reader)))].sort()
}
