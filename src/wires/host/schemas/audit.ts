import { z } from 'zod'
import { count, cursorLike, instant, list, nextCursor, position } from '../../schema-parts.ts'

const AuditRecord = z
  .strictObject({
    position,
    at: instant,
    kind: z.string().describe('What happened, such as `memory.written` or `admin.key.created`'),
    actor: z.string().describe('The key, run or job that made the commit'),
    hash: z.string().describe('SHA-256 over this record and the hash of the previous record'),
    body: z.looseObject({}).describe('Identifiers and digests of what was written; never its text'),
  })
  .meta({ id: 'AuditRecord', description: 'The audit record of one commit.' })

const AuditHead = z.strictObject({ tenant: z.string(), position, hash: z.string() }).meta({
  id: 'AuditHead',
  description: 'The end of the chain. Store it elsewhere, to detect a truncated chain later.',
})

export const AuditPage = z.strictObject({ records: list(AuditRecord), head: AuditHead, cursor: nextCursor }).meta({
  id: 'AuditPage',
  description: 'One page of the audit, oldest first.',
  examples: [
    {
      records: [
        {
          position: 41,
          at: '2026-03-01T12:00:00.000Z',
          kind: 'memory.written',
          actor: 'key:key_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d12',
          hash: '6f1c0b7a5d2e4f8390b1c2d3e4f5061728394a5b6c7d8e9f0a1b2c3d4e5f6071',
          body: {
            written: [
              {
                digest: 'q3n0T8vV1cJtq2m8r1b4Jw',
                id: 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11',
                ref: 'p9dKf0s2nVbE5r7yQ1xLzA',
                version: 1,
              },
            ],
          },
        },
      ],
      head: {
        tenant: 'acme',
        position: 57,
        hash: '0a9b8c7d6e5f40312233445566778899aabbccddeeff00112233445566778899',
      },
      cursor: 'NDE.9d1c02ab6f37',
    },
  ],
})

export const AuditQuery = z.strictObject({
  limit: count.optional(),
  after: count.optional().describe('Only records after this position'),
  cursor: cursorLike(/^\d{1,15}$/).optional(),
})
