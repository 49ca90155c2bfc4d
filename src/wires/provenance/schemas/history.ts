import { z } from 'zod'
import { instant, list } from '../../schema-parts.ts'

const HistoryItem = z
  .strictObject({
    version_number: z.int(),
    content: z.string(),
    change_type: z.enum([
      'created',
      'confirmed',
      'superseded',
      'reactivated',
      'edited',
      'archived',
      'contained',
      'redacted',
      'readers_changed',
      'compacted',
      'deleted',
    ]),
    change_reason: z.string().nullable(),
    actor: z.string(),
    created_at: instant,
  })
  .meta({ id: 'MemoryHistoryItem', description: 'One change of a memory.' })

export const History = z.strictObject({ data: list(HistoryItem) }).meta({
  id: 'MemoryHistory',
  description: 'Every change of a memory, oldest first.',
  examples: [
    {
      data: [
        {
          version_number: 1,
          content: 'Prefers dark mode.',
          change_type: 'created',
          change_reason: null,
          actor: 'key:key_0192f0c1-7a3b-7c44-9d2e-5b1f0a6c8e22',
          created_at: '2026-06-11T09:55:01.040Z',
        },
      ],
    },
  ],
})
