import { z } from 'zod'
import { checkIdentifier } from '../../../core/check.ts'
import { limits } from '../../../core/limits.ts'
import { externalUserId, subjectId } from '../../provenance/schemas/add.ts'
import { asReader, bounded, list, withCheck } from '../../schema-parts.ts'

export const AliasQuery = z.strictObject({ subject: externalUserId, reader: asReader })

const alias = withCheck(z.string(), (field, value) =>
  checkIdentifier(field, value, 'aliasCharactersMax', limits.aliasCharactersMax),
)

export const AliasDraft = z
  .strictObject({
    subject: subjectId,
    aliases: bounded(alias, limits, 'aliasesMax').describe('Other names of the subject; none removes them'),
  })
  .meta({
    id: 'AliasDraft',
    description: 'The names of a subject. They are stored as a memory about it.',
    examples: [{ subject: 'user_123', aliases: ['Bob', 'Robert Smith'] }],
  })

export const Aliases = z
  .strictObject({
    subject: z.string(),
    aliases: list(
      z.strictObject({
        names: list(z.string()).describe('Names that mean the same person or thing'),
        source: z.enum(['explicit', 'inferred']).describe('Set by a client, or stated in a memory'),
        memoryId: z.string().describe('The memory that says so'),
      }),
    ),
  })
  .meta({
    id: 'Aliases',
    description: 'Names that mean the same in the memories about a subject. Searches look them all up.',
    examples: [
      {
        subject: 'user_123',
        aliases: [
          {
            names: ['user_123', 'Bob', 'Robert Smith'],
            source: 'explicit',
            memoryId: 'mem_0192f0c1-7a3b-7c44-9d2e-5b1f0a6c8e21',
          },
        ],
      },
    ],
  })
