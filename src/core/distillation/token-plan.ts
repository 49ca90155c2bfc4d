import { checkCount, utf8Bytes } from '../check.ts'
import { sentencesOf } from '../compaction/extractive/sentences.ts'
import { ColophonError, invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { findMarkers } from '../redaction/rules/marker.ts'
import { countTokens } from '../search/token-budget.ts'

/** The name of the way in which tokens are counted: see `countTokens`. */
export const tokenizerName = 'chars-div-4'

/** The budget that holds: what was asked for, at most the largest; without a request, the largest. */
export function effectiveBudget(asked: number | undefined): number {
  return Math.min(asked ?? limits.distillationTokenBudgetMax, limits.distillationTokenBudgetMax)
}

/** Checks a budget as a caller gives it. */
export function checkTokenBudget(field: string, value: unknown): asserts value is number {
  checkCount(field, value, 1)
  if (!Number.isSafeInteger(value)) throw invalid(field, 'must be an integer')
}

/** What the sources of a distillation need of a budget, counted one source after another. */
export class TokenPlan {
  readonly markers = new Set<string>()
  #inputTokens = 0
  #shortestBytes = Number.MAX_SAFE_INTEGER

  get inputTokens(): number {
    return this.#inputTokens
  }

  add(text: string): void {
    this.#inputTokens += countTokens(text)
    for (const { start, end } of findMarkers(text)) this.markers.add(text.slice(start, end))
    for (const sentence of sentencesOf(text)) this.#shortestBytes = Math.min(this.#shortestBytes, utf8Bytes(sentence))
  }

  /**
   * The smallest budget with which the sources can be distilled: all of them are read, and the archive has at least every redaction
   * marker, or one sentence.
   */
  get minimumRequired(): number {
    const markerBytes = utf8Bytes([...this.markers].join('\n'))
    const sentenceBytes = this.#shortestBytes === Number.MAX_SAFE_INTEGER ? 1 : this.#shortestBytes
    const archiveBytes = this.markers.size > 0 ? markerBytes : sentenceBytes
    return limits.distillationOverheadTokens + this.#inputTokens + Math.ceil(archiveBytes / 4)
  }

  /** Refuses a budget that is too small. */
  check(budget: number): void {
    const { minimumRequired } = this
    if (minimumRequired <= budget) return
    throw new ColophonError(
      'token_budget_exceeded',
      `The distillation needs ${minimumRequired} tokens, and its budget is ${budget}.`,
      { details: { budget, minimumRequired } },
    )
  }

  /** The bytes that the archive may have. A character has at least one byte, so its tokens fit. */
  archiveBytesMax(budget: number): number {
    const left = budget - limits.distillationOverheadTokens - this.#inputTokens
    return Math.min(left * 4, limits.distillationArchiveBytesMax)
  }

  /** The tokens that the distillation used, with this archive. */
  used(archive: string): number {
    return limits.distillationOverheadTokens + this.#inputTokens + countTokens(archive)
  }
}
