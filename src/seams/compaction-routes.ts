import { z } from 'zod'
import { compactGroup } from '../app/compaction/compact-group.ts'
import { sourceGroups } from '../app/compaction/compaction-pass.ts'
import { planOfRequest } from '../app/compaction/compaction-plan.ts'
import { putMany } from '../app/entries/put.ts'
import {
  checkCompactedRef,
  checkInputEntries,
  checkOutputBytes,
  defaultCompactionPolicy,
} from '../core/compaction/policy.ts'
import { type App, principalOf, type RouteParts } from '../http/route-context.ts'

/** Request bodies of the conformance tests. */
const SeedSeam = z.looseObject({
  memoryRef: z.string().min(1),
  entries: z.array(z.looseObject({ content: z.string(), tags: z.array(z.string()).optional() })).min(1),
})

const CompactSeam = z.looseObject({
  memoryRef: z.string().min(1),
  maxInputEntries: z.int().optional(),
  maxOutputBytes: z.int().optional(),
})

/**
 * Routes that store entries and compact them within the request, for conformance tests. Both use the ordinary use cases: the host
 * assigns the ids, and all texts are redacted.
 */
export function compactionSeams(app: App, { engine, stopping }: RouteParts): void {
  const config = { access: 'memory:admin' } as const
  app.post('/v1/test/memory/seed', { config, schema: { hide: true, body: SeedSeam } }, async (request, reply) => {
    const { tenantId, actor } = principalOf(request)
    const { memoryRef, entries } = request.body
    const drafts = entries.map(({ content, tags }) => ({ content, ...(tags === undefined ? {} : { tags }) }))
    const stored = await putMany(engine.tenant(tenantId), memoryRef, drafts, { actor })
    return reply.code(201).send({ seeded: stored.entries.length, plantedIds: stored.entries.map(({ id }) => id) })
  })

  app.post('/v1/test/memory/compact', { config, schema: { hide: true, body: CompactSeam } }, async (request, reply) => {
    const { tenantId, actor } = principalOf(request)
    const { memoryRef, maxInputEntries, maxOutputBytes } = request.body
    checkCompactedRef('memoryRef', memoryRef)
    if (maxInputEntries !== undefined) checkInputEntries('maxInputEntries', maxInputEntries)
    if (maxOutputBytes !== undefined) checkOutputBytes('maxOutputBytes', maxOutputBytes)
    const draft = { memoryRef, maxInputEntries, maxOutputBytes }
    const { selection, outputBytesMax } = planOfRequest(draft, defaultCompactionPolicy, engine.system.now())
    for await (const { sources } of sourceGroups(engine.tenant(tenantId), memoryRef, selection, stopping)) {
      const compactionId = engine.system.newId('cmp')
      const trigger = 'client-requested' as const
      const order = { compactionId, memoryRef, sources, outputBytesMax, actor, trigger, signal: stopping }
      const made = await compactGroup(engine.tenant(tenantId), order)
      if (made === null) continue
      // The stored event, not one that is built here: the suite must test the real one.
      const events = await engine.storage.runs.events({ tenantId, runId: made.runId, from: 0, limit: 100 })
      const event = events.find(({ type }) => type === 'memory.compacted')
      return { type: event?.type, payload: event?.payload, outputContent: made.output.content }
    }
    return reply.code(204).send(null)
  })
}
