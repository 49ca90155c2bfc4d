import { isExpired } from '../entries/as-of.ts'
import type { EntryVersion } from '../entries/entry.ts'
import { readersKey } from '../entries/readers.ts'
import { isMark } from '../entries/tags.ts'
import { isBelow, type Trust } from '../entries/trust.ts'
import type { ConsolidationItem } from './consolidation.ts'
import { featuresOf, type TextFeatures } from './text-features.ts'

/**
 * Whether a pass may touch an entry. It leaves alone what a person or a rule has decided: contents of claims (their authority decides), what is
 * in quarantine, and what a person has verified or marked to be in every prompt.
 */
export function isConsolidated(entry: EntryVersion, now: number, trustFloorRead: Trust): boolean {
  return (
    !isExpired(entry, now) &&
    (entry.classification?.claimId ?? null) === null &&
    entry.trust !== 'verified' &&
    !entry.tags.some(isMark) &&
    !isBelow(entry.trust, trustFloorRead)
  )
}

/** Whether it matters who wrote the text: only then must the writer of an output be looked up. */
export function needsWriter({ isPersonal, template }: TextFeatures): boolean {
  return isPersonal || template !== null
}

/** The writer of a text: two texts with the same writer were written with the same credential, by the same agent or service. */
export function writerOf({ origin }: Pick<EntryVersion, 'origin'>): string {
  switch (origin.kind) {
    case 'api':
      return JSON.stringify(['api', origin.keyId ?? null, origin.agentId ?? null])
    case 'service':
      return JSON.stringify(['service', origin.service, origin.agentId ?? null])
    case 'run':
    case 'session':
      return JSON.stringify(['run', origin.agentId ?? origin.runId])
    case 'compaction':
      return JSON.stringify(['compaction', origin.compactionId])
  }
}

const dayMs = 24 * 60 * 60 * 1_000

/** When its text was stated. A merge keeps it, so that "today" stays the same day. */
export function statedAt({ classification, createdAt }: Pick<EntryVersion, 'classification' | 'createdAt'>): number {
  return classification?.observedAt ?? createdAt
}

/**
 * The keys of an entry. Only entries of one group can become one: so a merge has the class, the readers, the expiry and the subject of each
 * of its sources. With `short` keys very many entries fit in memory; what is merged is compared again with whole keys.
 */
export function toItem(
  entry: EntryVersion,
  { writer, features = featuresOf(entry.content) }: { readonly writer: string; readonly features?: TextFeatures },
  keys: 'whole' | 'short' = 'whole',
): ConsolidationItem {
  const shorten = keys === 'short' ? shortKey : (key: string) => key
  const { entryId, version, createdPosition, ordinal, origin, subject, expiresAt, trust, readers } = entry
  const { speaker, isPersonal, isDated, template } = features
  const group = [
    subject,
    expiresAt,
    trust,
    readersKey(readers),
    entry.classification?.category ?? null,
    speaker,
    isPersonal ? writer : null,
    isDated ? Math.floor(statedAt(entry) / dayMs) : null,
  ]
  const { exact, forms, words, sentences } = features
  return {
    entryId,
    version,
    place: { createdPosition, ordinal },
    group: shorten(JSON.stringify(group)),
    exact: shorten(exact),
    forms: forms === null ? null : shorten(forms),
    words: forms === null ? [] : keys === 'short' ? Uint32Array.from(words, wordKey) : words,
    sentences: sentences?.map(shorten) ?? null,
    template: template === null ? null : shorten(JSON.stringify([writer, template])),
    isCorrection: features.isCorrection && origin.kind !== 'compaction',
    hasSubject: subject !== null,
  }
}

/** A short key, for comparing very many texts in little memory. Two texts may share one by chance, so it never decides a merge. */
function shortKey(key: string): string {
  const [a, b] = [hash(key, 0x9e3779b1), hash(key, 0x5f356495)]
  return String.fromCharCode(a & 0xffff, a >>> 16, b & 0xffff, b >>> 16)
}

function wordKey(word: string): number {
  return hash(word, 0x9e3779b1)
}

/** FNV-1a with another multiplier for each key. */
function hash(text: string, multiplier: number): number {
  let sum = 0x811c9dc5
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), multiplier)
  return sum >>> 0
}
