import { shortSha256 } from '../../core/audit/digest.ts'
import { type ColophonError, isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { normaliseVector } from '../../core/search/vectors.ts'
import type { Embedder } from '../../ports/embedder.ts'
import type { VectorSpace } from '../../ports/vector-store.ts'

export type EmbeddedQuery = { readonly space: VectorSpace; readonly vector: Float32Array }

export type EmbedderState = {
  readonly model: string
  readonly dimensions: number | null
  readonly isWorking: boolean
  /** The error code of the last failure. */
  readonly failure: ColophonError['code'] | null
}

/**
 * The embedder of this process, with a cache of embedded queries and a circuit breaker: after a failure it is not called for
 * `embedPauseMs`, and searches are lexical.
 */
export class EmbeddingService {
  readonly #embedder: Embedder
  readonly #now: () => number
  readonly #queries = new Map<string, EmbeddedQuery>()
  readonly #notedTenants = new Set<string>()
  #dimensions: number | null = null
  #failed: { readonly at: number; readonly code: ColophonError['code'] } | null = null

  constructor(embedder: Embedder, now: () => number) {
    this.#embedder = embedder
    this.#now = now
  }

  get textsMax(): number {
    return this.#embedder.textsMax
  }

  /** Vectors of length 1. A vector of zeros stays one, and is similar to nothing. */
  async embed(texts: readonly string[], signal: AbortSignal): Promise<{ space: VectorSpace; vectors: Float32Array[] }> {
    try {
      const made = await this.#embedder.embed(texts, signal)
      const dimensions = made[0]?.length ?? 0
      this.#failed = null
      if (this.#dimensions !== dimensions) this.#queries.clear()
      this.#dimensions = dimensions
      return {
        space: { model: this.#embedder.model, dimensions },
        vectors: made.map((vector) => normaliseVector(vector) ?? new Float32Array(dimensions)),
      }
    } catch (error) {
      this.#failed = { at: this.#now(), code: isColophonError(error) ? error.code : 'model_unavailable' }
      throw error
    }
  }

  /** The space of its vectors. Calls the embedder if it is not known yet. */
  async space(signal: AbortSignal): Promise<VectorSpace> {
    if (this.#dimensions !== null && this.#failed === null)
      return { model: this.#embedder.model, dimensions: this.#dimensions }
    return (await this.embed(['memory'], signal)).space
  }

  /** The vector of a query. Null when the embedder does not answer in time or the circuit breaker is open: the search is then lexical. */
  async embedQuery(text: string): Promise<EmbeddedQuery | null> {
    if (this.#isOpen()) return null
    const key = shortSha256(text)
    const known = this.#queries.get(key)
    if (known) return known
    try {
      const { space, vectors } = await this.embed([text], AbortSignal.timeout(limits.embedQueryMs))
      const [vector] = vectors
      if (vector === undefined) return null
      if (this.#queries.size >= limits.embedQueriesCachedMax) this.#queries.clear()
      this.#queries.set(key, { space, vector })
      return { space, vector }
    } catch {
      return null
    }
  }

  /** Whether the embedder works. Calls it if that is not known. */
  async works(): Promise<boolean> {
    if (this.#isOpen()) return false
    return this.space(AbortSignal.timeout(limits.embedQueryMs)).then(
      () => true,
      () => false,
    )
  }

  async state(): Promise<EmbedderState> {
    const isWorking = await this.works()
    const failure = this.#failed?.code ?? null
    return { model: this.#embedder.model, dimensions: this.#dimensions, isWorking, failure }
  }

  /** Notes that a tenant has new texts. True for the first one since `takeNotedTenants`. */
  noteTenant(tenantId: string): boolean {
    this.#notedTenants.add(tenantId)
    return this.#notedTenants.size === 1
  }

  takeNotedTenants(): string[] {
    const tenants = [...this.#notedTenants]
    this.#notedTenants.clear()
    return tenants
  }

  close(): Promise<void> {
    return this.#embedder.close()
  }

  #isOpen(): boolean {
    return this.#failed !== null && this.#now() - this.#failed.at < limits.embedPauseMs
  }
}
