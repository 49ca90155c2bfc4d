import { z } from 'zod'
import { asReader, count, instant, list } from '../../schema-parts.ts'
import { at } from './examples.ts'

const entry = {
  id: 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11',
  content: 'Ada prefers tea.',
  tags: ['preference', 'source:api'],
  createdAt: at,
}

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
    examples: [entry],
  })

export const EntryList = z
  .strictObject({ entries: list(MemoryEntry) })
  .meta({ id: 'EntryList', description: 'The newest entries of a ref.', examples: [{ entries: [entry] }] })

export const ListQuery = z.strictObject({
  limit: count.optional(),
  tag: z.string().optional().describe('Only entries that have this tag'),
  reader: asReader,
})
