import { z } from 'zod'
import { list, trustClass } from '../../schema-parts.ts'

/** The requests and answers of export and import. */

export const ExportQuery = z.strictObject({
  memoryRef: z.string().optional().describe('Only entries of this ref'),
  subject: z.string().optional().describe('Only memories about this person'),
})

export const ExportText = z.string().meta({
  id: 'ExportText',
  description:
    'An export, one JSON document per line: a header, rows, and a trailer with a SHA-256 over all lines before it and the signature of the host.',
})

export const ImportQuery = z.strictObject({
  merge: z.enum(['true', 'false']).optional().describe('Also import into a tenant that has memory'),
  trust: trustClass
    .optional()
    .describe(
      'The highest class of what comes from a file whose signature is not known: `untrusted` (default) or `agent`',
    ),
})

const ImportConflict = z
  .strictObject({ line: z.int(), type: z.string(), id: z.string() })
  .meta({ id: 'ImportConflict', description: 'A line that was not imported, because another row has its id.' })

export const ImportResult = z
  .strictObject({
    file: z.string().describe('The digest that identifies this import'),
    nextLine: z.int().describe('The first line that is not stored yet; the header is line 0'),
    finished: z.boolean(),
    base: z.int().describe('The number that was added to every position of the file; 0 if they are unchanged'),
    imported: z.int().describe('Lines that this request stored'),
    skipped: z.int().describe('Lines of this request that were stored before'),
    conflicts: list(ImportConflict),
    signature: z
      .strictObject({
        status: z
          .enum(['known', 'unknown', 'missing', 'pending'])
          .describe(
            '`known`: signed by this host; `unknown`: signed by another key, and not changed; `missing`: not signed; `pending`: parts are missing. A file that was changed after it was signed is refused.',
          ),
        keyId: z
          .string()
          .optional()
          .describe('The key that signed it: compare it with the key of the host that made the export'),
      })
      .meta({ id: 'ImportSignature', description: 'Whether the signature of the export is known.' }),
    writersToBind: list(z.string()).describe(
      'Service keys of writers that are inactive, because API keys are not exported: set api_key_id and is_active',
    ),
    unmarked: list(z.string()).describe(
      'Ids of memories that were imported without `always_include`, because their subject has as many as it may',
    ),
  })
  .meta({
    id: 'ImportResult',
    description: 'The progress of the import.',
    examples: [
      {
        file: '6f1c0b7a5d2e4f8390b1c2d3e4f5061728394a5b6c7d8e9f0a1b2c3d4e5f6071',
        nextLine: 121,
        finished: true,
        base: 0,
        imported: 120,
        skipped: 0,
        conflicts: [],
        signature: { status: 'known', keyId: '8d0c6a2f4b1e9375' },
        writersToBind: ['payroll'],
        unmarked: [],
      },
    ],
  })
