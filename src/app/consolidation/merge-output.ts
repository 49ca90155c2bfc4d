import type { NewEntry } from '../../core/commit/batch.ts'
import type { MergeReason } from '../../core/consolidation/consolidation.ts'
import { statedAt, writerOf } from '../../core/consolidation/consolidation-item.ts'
import { featuresOf } from '../../core/consolidation/text-features.ts'
import { commonReaders } from '../../core/entries/access.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { isHostTag, sourceTag } from '../../core/entries/tags.ts'
import { lowestTrust } from '../../core/entries/trust.ts'
import { limits } from '../../core/limits.ts'
import { type Classification, defaultClassification } from '../../core/provenance/category.ts'
import { shownConfidence } from '../../core/provenance/resolve-conflict.ts'
import type { Engine } from '../engine.ts'

/**
 * The entry that several become: the text, the time and the category of the one that is kept, all their tags, and the class and readers that
 * they share. Null if it would have too many tags.
 */
export function outputOf(
  engine: Engine,
  {
    compactionId,
    content,
    kept,
    statements,
  }: {
    readonly compactionId: string
    readonly content: string
    readonly kept: EntryVersion
    /** The sources that state the text that is kept: see `statementsOf`. */
    readonly statements: readonly EntryVersion[]
  },
  sources: readonly EntryVersion[],
): NewEntry | null {
  const origin = { kind: 'compaction', compactionId } as const
  const own = [kept, ...sources].flatMap(({ tags }) => tags.filter((tag) => !isHostTag(tag)))
  const tags = [...new Set(own), sourceTag(origin), `compacted-from:${compactionId}`]
  if (tags.length > limits.tagsPerEntryMax) return null
  return {
    memoryRef: kept.memoryRef,
    entryId: engine.system.newId('mem'),
    content,
    tags,
    expiresAt: kept.expiresAt,
    subject: kept.subject,
    origin,
    classification: classificationOf(kept, statements, sources),
    trust: lowestTrust(kept.trust, ...sources.map(({ trust }) => trust)),
    salt: engine.system.newSalt(),
    readers: commonReaders(sources.map(({ readers }) => readers)),
    isDerived: true,
  }
}

/** Confirmed by several writers, a content has a higher confidence: by the rule that contents of claims follow too. */
function classificationOf(
  kept: EntryVersion,
  statements: readonly EntryVersion[],
  sources: readonly EntryVersion[],
): Classification {
  const classOf = ({ classification }: EntryVersion) => classification ?? defaultClassification
  return {
    ...(kept.classification ?? defaultClassification),
    importance: Math.max(...sources.map((source) => classOf(source).importance)),
    confidence: shownConfidence(
      statements.map((source) => ({
        service: source.origin.kind === 'service' ? source.origin.service : null,
        actor: writerOf(source),
        confidence: classOf(source).confidence,
      })),
    ),
    observedAt: statedAt(kept),
  }
}

/**
 * The sources that say all that the kept text says. A text that it includes says only a part of it, and one that it corrects says something
 * else: their writers confirm nothing.
 */
export function statementsOf(
  reason: MergeReason,
  kept: EntryVersion,
  sources: readonly EntryVersion[],
): readonly EntryVersion[] {
  if (reason === 'duplicate' || reason === 'restatement') return sources
  const { exact } = featuresOf(kept.content)
  return sources.filter((source) => source.entryId === kept.entryId || featuresOf(source.content).exact === exact)
}

/** Whether different writers stated it. */
export function isConfirmed(sources: readonly EntryVersion[]): boolean {
  return new Set(sources.map(writerOf)).size > 1
}
