import { shortSha256 } from '../../core/audit/digest.ts'
import { type ColophonError, isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { normalised } from '../../core/search/vectors.ts'
import type { Embedder } from '../../ports/embedder.ts'
import type { VectorSpace } from '../../ports/vector-store.ts'

export type EmbeddedQuery = { readonly space: VectorSpace; readonly vector: Float32Array }

export type EmbedderState = {
  readonly model: string
  readonly dimensions: number | null
  readonly isWorking: boolean
  /** Why it does not work. */
  readonly failure: ColophonError['code'] | null
}

/** The embedder of this process, and what is known of it: whether it works, and in which space its vectors are. */
export class Embeddings {
  readonly #embedder: Embedder
  readonly #now: () => number
  readonly #questions = new Map<string, EmbeddedQuery>()
  readonly #noted = new Set<string>()
  #dimensions: number | null = null
  #failed: { readonly at: number; readonly code: ColophonError['code'] } | null = null

  constructor(embedder: Embedder, now: () => number) {
    this.#embedder = embedder
    this.#now = now
  }

  get textsMax(): number {
    return this.#embedder.textsMax
  }

  /** Vectors of length 1. What has no direction gets one that is near nothing. */
  async embed(texts: readonly string[], signal: AbortSignal): Promise<{ space: VectorSpace; vectors: Float32Array[] }> {
    try {
      const made = await this.#embedder.embed(texts, signal)
      const dimensions = made[0]?.length ?? 0
      this.#failed = null
      if (this.#dimensions !== dimensions) this.#questions.clear()
      this.#dimensions = dimensions
      return {
        space: { model: this.#embedder.model, dimensions },
        vectors: made.map((vector) => normalised(vector) ?? new Float32Array(dimensions)),
      }
    } catch (error) {
      this.#failed = { at: this.#now(), code: isColophonError(error) ? error.code : 'model_unavailable' }
      throw error
    }
  }

  /** The space of its vectors; asks the embedder when it is not known yet. */
  async space(signal: AbortSignal): Promise<VectorSpace> {
    if (this.#dimensions !== null && this.#failed === null)
      return { model: this.#embedder.model, dimensions: this.#dimensions }
    return (await this.embed(['memory'], signal)).space
  }

  /** Null when the embedder does not answer in time, or has just failed: then words have to do. */
  async embedQuery(text: string): Promise<EmbeddedQuery | null> {
    if (this.#isResting()) return null
    const key = shortSha256(text)
    const known = this.#questions.get(key)
    if (known) return known
    try {
      const { space, vectors } = await this.embed([text], AbortSignal.timeout(limits.embedQuestionMs))
      const [vector] = vectors
      if (vector === undefined) return null
      if (this.#questions.size >= limits.embedQuestionsKept) this.#questions.clear()
      this.#questions.set(key, { space, vector })
      return { space, vector }
    } catch {
      return null
    }
  }

  /** Whether it works, as far as is known; asks when that is not known. */
  async works(): Promise<boolean> {
    if (this.#isResting()) return false
    return this.space(AbortSignal.timeout(limits.embedQuestionMs)).then(
      () => true,
      () => false,
    )
  }

  async state(): Promise<EmbedderState> {
    const isWorking = await this.works()
    const failure = this.#failed?.code ?? null
    return { model: this.#embedder.model, dimensions: this.#dimensions, isWorking, failure }
  }

  /** A tenant has something new; true for the first since they were taken. */
  noteTenant(tenantId: string): boolean {
    this.#noted.add(tenantId)
    return this.#noted.size === 1
  }

  takeNotedTenants(): string[] {
    const tenants = [...this.#noted]
    this.#noted.clear()
    return tenants
  }

  close(): Promise<void> {
    return this.#embedder.close()
  }

  #isResting(): boolean {
    return this.#failed !== null && this.#now() - this.#failed.at < limits.embedRestMs
  }
}
