import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'

/** Vectors that find what means the same in other words. */
export function embeddingsCalls({ send }: Transport) {
  return {
    /** The embedder, and how many entries have vectors. */
    status: (options?: CallOptions) => send<wire.EmbeddingsStatus>('GET /v1/host/colophon/embeddings', {}, options),
    /** Asks for new vectors of everything, which a job makes. */
    rebuild: (options?: CallOptions) => send<wire.JobStarted>('POST /v1/host/colophon/embeddings:rebuild', {}, options),
  }
}
