import { z } from 'zod'

export const EmbeddingsStatus = z
  .strictObject({
    configured: z.boolean(),
    working: z.boolean(),
    model: z.string().nullable(),
    dimensions: z.int().nullable(),
    failure: z.string().nullable().describe('The code of the last failure'),
    versions: z.int().describe('Versions of the tenant’s entries'),
    waiting: z.int().describe('Versions that have no vector yet'),
    vectors: z.int().describe('Vectors that searches use'),
    otherVectors: z.int().describe('Vectors of other models: not used, and removed once all texts have new ones'),
    method: z
      .enum(['scan', 'codes', 'hnsw'])
      .describe(
        'How the nearest vectors of a large ref are found: comparing the newest, by codes, or by an index of PostgreSQL',
      ),
  })
  .meta({
    id: 'EmbeddingsStatus',
    description: 'The embedder of this server, and its progress for the tenant.',
    examples: [
      {
        configured: true,
        working: true,
        model: 'model-embeddings-en',
        dimensions: 512,
        failure: null,
        versions: 1_204,
        waiting: 4,
        vectors: 1_200,
        otherVectors: 0,
        method: 'codes',
      },
    ],
  })
