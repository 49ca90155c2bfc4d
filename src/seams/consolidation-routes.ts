import { z } from 'zod'
import { consolidateRef } from '../app/consolidation/consolidation-pass.ts'
import { putMany } from '../app/entries/put.ts'
import { allEvents } from '../app/runs/recorded-run.ts'
import { checkCompactedRef } from '../core/compaction/policy.ts'
import { type App, principalOf, type RouteParts } from '../http/route-context.ts'

const Consolidate = z.looseObject({ memoryRef: z.string().min(1), includeSecretCanary: z.boolean().default(false) })

const canary = '[BYOK:hk_live_canary_42]'
const texts = ['The visitor takes tea.', 'The gate is closed on Sundays.', 'THE VISITOR takes tea!']

/**
 * Consolidates a ref within the request, for conformance tests. An empty ref first gets four entries, one of them a duplicate; the tests
 * plant nothing themselves. The event in the answer is the stored one.
 */
export function consolidationSeams(app: App, { engine, stopping }: RouteParts): void {
  app.post(
    '/v1/host/sample/memory/consolidate',
    { config: { access: 'memory:admin' }, schema: { hide: true, body: Consolidate } },
    async (request) => {
      const { tenantId, actor } = principalOf(request)
      const { memoryRef, includeSecretCanary } = request.body
      checkCompactedRef('memoryRef', memoryRef)
      const tenant = engine.tenant(tenantId)
      const { entries } = await tenant.list(memoryRef, { limit: 1 })
      const planted = [
        ...texts,
        includeSecretCanary ? `The vendor uses ${canary} here.` : 'The vendor calls on Mondays.',
      ]
      const drafts = planted.map((content) => ({ content }))
      if (entries.length === 0) await putMany(tenant, memoryRef, drafts, { actor })
      const firstRunId = tenant.system.newId('run')
      await consolidateRef(tenant, memoryRef, { actor, trigger: 'on-demand', signal: stopping, firstRunId })
      const events = await allEvents(tenant, firstRunId)
      const left = await tenant.list(memoryRef)
      return {
        runId: firstRunId,
        event: events.find(({ type }) => type === 'agent.memory.consolidated')?.payload,
        secretLeaked: JSON.stringify([left.entries, events]).includes(canary),
      }
    },
  )
}
