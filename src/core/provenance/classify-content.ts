import type { Classification } from './category.ts'
import type { ClaimIdentity } from './claim-plan.ts'
import type { RankedContent } from './resolve-conflict.ts'

/** The classification of a content, from its assertions. */
export function classifyContent(
  { category, claimKey, claimId }: ClaimIdentity,
  { best, supporters }: RankedContent,
): Classification {
  return {
    category,
    claimKey,
    claimId,
    importance: supporters.reduce((max, { importance }) => Math.max(max, importance), best.importance),
    confidence: best.confidence,
    sourceEventId: best.sourceEventId,
    observedAt: best.observedAt,
  }
}
