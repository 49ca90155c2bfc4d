import { z } from 'zod'
import { limits } from '../../../core/limits.ts'
import { instant, list } from '../../schema-parts.ts'

const id = z.string().regex(/^(?:key|run)_[0-9a-z_-]{1,60}$/, 'must be the id of a key or of a run')

export const NamesDraft = z
  .strictObject({ ids: z.array(id).max(limits.namedIdsMax).describe('Ids of keys and runs') })
  .meta({ id: 'NamesDraft', examples: [{ ids: ['key_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d12'] }] })

export const NameList = z
  .strictObject({
    names: list(
      z.strictObject({
        id: z.string(),
        name: z.string().describe('The name of a key, or the workflow of a run'),
        createdAt: instant.optional(),
      }),
    ),
  })
  .meta({
    id: 'NameList',
    description: 'The names of ids. Unknown ids are left out.',
    examples: [{ names: [{ id: 'key_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d12', name: 'dashboard' }] }],
  })
