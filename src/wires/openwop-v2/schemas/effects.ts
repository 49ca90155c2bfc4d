import { z } from 'zod'
import { instant, list } from '../../schema-parts.ts'
import { boundRunId } from './examples.ts'

export const RunEffects = z
  .strictObject({
    runId: z.string(),
    effects: list(
      z.strictObject({
        effectId: z.string(),
        nodeId: z.string(),
        attempt: z.int().min(1),
        keying: z.enum(['business-identity', 'activity-recipe']),
        state: z.enum(['claimed', 'completed', 'released', 'escaped']),
        at: instant,
      }),
    ),
  })
  .meta({
    id: 'RunEffects',
    description: 'What the nodes of a run changed, without content: the entries that they wrote or deleted.',
    examples: [{ runId: boundRunId, effects: [] }],
  })

export const EffectSeams = z
  .strictObject({
    manifestVersion: z.literal('1'),
    host: z.strictObject({ name: z.string(), build: z.strictObject({ kind: z.literal('commit'), id: z.string() }) }),
    seams: list(
      z.strictObject({
        seam: z.string(),
        kind: z.enum(['storage', 'webhook-fanout', 'provider-sdk']),
        guarded: z.literal(true),
        guardedBy: z.string(),
        branchReFires: z.boolean(),
        note: z.string(),
      }),
    ),
  })
  .meta({
    id: 'EffectSeams',
    description: 'Where runs have effects outside of their own log, and what keeps a replay from repeating them.',
    examples: [
      { manifestVersion: '1', host: { name: 'colophon', build: { kind: 'commit', id: 'v0.1.0' } }, seams: [] },
    ],
  })
