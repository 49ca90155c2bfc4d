import { z } from 'zod'
import { limits } from '../../../core/limits.ts'
import { instant, list } from '../../schema-parts.ts'

const id = z.string().regex(/^(?:key|run|fgt)_[0-9a-z_-]{1,60}$/, 'must be the id of a key, a run or an erasure')

export const NamesDraft = z
  .strictObject({ ids: z.array(id).max(limits.namedIdsMax).describe('Ids of keys, runs and erasures') })
  .meta({ id: 'NamesDraft', examples: [{ ids: ['key_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d12'] }] })

export const NameList = z
  .strictObject({
    names: list(
      z.strictObject({
        id: z.string(),
        name: z
          .string()
          .describe('The name of a key, the workflow of a run, or the name of the key that requested an erasure'),
        createdAt: instant.optional(),
      }),
    ),
  })
  .meta({
    id: 'NameList',
    description: 'The names of ids. Unknown ids are left out.',
    examples: [{ names: [{ id: 'key_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d12', name: 'dashboard' }] }],
  })
