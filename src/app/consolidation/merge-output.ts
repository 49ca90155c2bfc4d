import type { NewEntry } from '../../core/commit/batch.ts'
import { statedAt, writerOf } from '../../core/consolidation/consolidation-item.ts'
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
  }: { readonly compactionId: string; readonly content: string; readonly kept: EntryVersion },
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
    classification: classificationOf(kept, sources),
    trust: lowestTrust(kept.trust, ...sources.map(({ trust }) => trust)),
    salt: engine.system.newSalt(),
    readers: commonReaders(sources.map(({ readers }) => readers)),
    isDerived: true,
  }
}

/** Confirmed by several writers, a content has a higher confidence: by the rule that contents of claims follow too. */
function classificationOf(kept: EntryVersion, sources: readonly EntryVersion[]): Classification {
  const known = sources.map(({ classification }) => classification ?? defaultClassification)
  return {
    ...(kept.classification ?? defaultClassification),
    importance: Math.max(...known.map(({ importance }) => importance)),
    confidence: shownConfidence(
      sources.map((source, at) => ({
        service: source.origin.kind === 'service' ? source.origin.service : null,
        actor: writerOf(source),
        confidence: known[at]?.confidence ?? defaultClassification.confidence,
      })),
    ),
    observedAt: statedAt(kept),
  }
}

/** Whether different writers stated it. */
export function isConfirmed(sources: readonly EntryVersion[]): boolean {
  return new Set(sources.map(writerOf)).size > 1
}
