import { z } from 'zod'
import { count, instant, list } from '../../schema-parts.ts'

const hash = z.string().describe('SHA-256, base64')

export const CheckpointText = z.string().meta({
  id: 'CheckpointText',
  description:
    'A signed note (C2SP tlog-checkpoint): origin, number of records and root of the log, an empty line, and the signature.',
  examples: [
    'colophon/q3n0T8vV1cJtq2m8r1b4Jw\n57\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— colophon/q3n0T8vV1cJtq2m8r1b4Jw Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n',
  ],
})

export const TileBytes = z.string().meta({
  id: 'TileBytes',
  description:
    'The hashes of a tile, 32 bytes each, one after the other. With `entries` in the path: the leaves, each after its length in two bytes.',
})

const LogKeyView = z
  .strictObject({
    keyId: z.string().describe('The id of the key, as in receipts and exports'),
    verifierKey: z.string().describe('Origin, id and key in one line, as witnesses and the package note of Go use it'),
    publicKey: z.string().describe('SPKI, base64'),
    since: instant.describe('When the key was first used for this log'),
    isCurrent: z.boolean().describe('Whether this server signs with it'),
  })
  .meta({ id: 'LogKey', description: 'A key that signed checkpoints of this log.' })

export const LogKeyList = z
  .strictObject({ origin: z.string().describe('The name of the log in its checkpoints'), keys: list(LogKeyView) })
  .meta({
    id: 'LogKeyList',
    description: 'The keys that signed checkpoints of this log, oldest first.',
    examples: [
      {
        origin: 'colophon/q3n0T8vV1cJtq2m8r1b4Jw',
        keys: [
          {
            keyId: '1f0c2d3e4b5a6978',
            verifierKey: 'colophon/q3n0T8vV1cJtq2m8r1b4Jw+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
            publicKey: 'MCowBQYDK2VwAyEAGlzZBxQ8OExB6DDFvOEqqIF+xWSaqr8sMTiLNbLXRNY=',
            since: '2026-03-01T12:00:00.000Z',
            isCurrent: true,
          },
        ],
      },
    ],
  })

export const InclusionQuery = z.strictObject({
  position: count.describe('The position of the audit record'),
  size: count.optional().describe('The size of the log in your checkpoint; by default the newest'),
})

export const InclusionProof = z
  .strictObject({
    position: z.int(),
    leafIndex: z.int().describe('The position less one'),
    size: z.int(),
    leafHash: hash.describe('SHA-256 of a zero byte and the 32 bytes of the record’s hash, base64'),
    root: hash.describe('The root of the log of this size. Compare it with your checkpoint, and do not trust it'),
    hashes: list(hash).describe('The proof of RFC 6962, 2.1.1, from the leaf upwards'),
  })
  .meta({
    id: 'InclusionProof',
    description: 'Shows that an audit record is in the log of a checkpoint.',
    examples: [
      {
        position: 2,
        leafIndex: 1,
        size: 2,
        leafHash: 'lqKW0iTyhcZ77pPDD4owkVfw2qNdxbh+QQt4YwoJz8c=',
        root: '+sVCA+fMaWzw38tCySodnbr3CtnmIfS9jZhmLwDjwSU=',
        hashes: ['bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0='],
      },
    ],
  })

export const ConsistencyQuery = z.strictObject({
  from: count.describe('The size of the log in your older checkpoint'),
  to: count.optional().describe('The size in your newer checkpoint; by default the newest'),
})

export const ConsistencyProof = z
  .strictObject({
    from: z.int(),
    to: z.int(),
    fromRoot: hash.describe('The root of the log of the older size, as this server computes it'),
    toRoot: hash,
    hashes: list(hash).describe('The proof of RFC 6962, 2.1.2'),
  })
  .meta({
    id: 'ConsistencyProof',
    description: 'Shows that the log of the newer size begins with all records of the older one.',
    examples: [
      {
        from: 1,
        to: 2,
        fromRoot: 'bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=',
        toRoot: '+sVCA+fMaWzw38tCySodnbr3CtnmIfS9jZhmLwDjwSU=',
        hashes: ['lqKW0iTyhcZ77pPDD4owkVfw2qNdxbh+QQt4YwoJz8c='],
      },
    ],
  })
