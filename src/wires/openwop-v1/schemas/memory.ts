import { z } from 'zod'
import { count, instant, list } from '../../schema-parts.ts'

export const MemoryEntry = z
  .strictObject({
    id: z.string(),
    content: z.string(),
    tags: list(z.string()),
    createdAt: instant,
    expiresAt: instant.optional(),
  })
  .meta({
    id: 'MemoryEntry',
    description: 'One memory.',
    examples: [
      {
        id: 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11',
        content: 'Ada prefers tea.',
        tags: ['preference', 'source:api'],
        createdAt: '2026-03-01T12:00:00.000Z',
      },
    ],
  })

export const EntryList = z
  .strictObject({ entries: list(MemoryEntry) })
  .meta({ id: 'EntryList', description: 'The newest entries of a ref.', examples: [{ entries: [] }] })

export const ListQuery = z.strictObject({ limit: count.optional(), tag: z.string().optional() })
