import { z } from 'zod'
import { findCommitment, pageOfCommitments } from '../app/commitments/find-commitments.ts'
import { fireCommitment } from '../app/commitments/fire-commitment.ts'
import { editCommitment } from '../app/commitments/manage-commitments.ts'
import { put } from '../app/entries/put.ts'
import { allEvents } from '../app/runs/recorded-run.ts'
import type { Tenant } from '../app/tenant.ts'
import { toInstant } from '../core/check.ts'
import { type App, principalOf, type RouteParts } from '../http/route-context.ts'
import { waitFor } from './wait-for.ts'

const Fire = z.looseObject({
  memoryRef: z.string().min(1),
  condition: z.enum(['time', 'predicate']).default('time'),
  includeIntentionCanary: z.boolean().default(false),
})

const soonMs = 1_000
const problem = 'No worker fired the commitment in time.'

/**
 * Stores an entry from which a commitment is inferred and meets its condition, for conformance tests. The workers of the host do the rest. The
 * event in the answer is the stored one, and `fireCount` counts a second attempt too.
 */
export function commitmentSeams(app: App, { engine }: RouteParts): void {
  app.post(
    '/v1/host/sample/commitment/fire',
    { config: { access: 'memory:admin' }, schema: { hide: true, body: Fire } },
    async (request) => {
      const { tenantId, actor } = principalOf(request)
      const tenant = engine.tenant(tenantId)
      const { memoryRef, condition, includeIntentionCanary } = request.body
      const canary = newCanary(tenant.system.newSalt())
      const intention =
        condition === 'time' ? `Remind me tomorrow to greet ${canary}.` : `When ${canary} is ready, notify Ana.`
      const entry = await put(tenant, memoryRef, { content: intention }, { actor })
      const { id } = await waitFor(async () => {
        const waiting = await pageOfCommitments(tenant, { memoryRef }, { after: null, limit: 500 })
        return waiting.find(({ memoryId }) => memoryId === entry.id) ?? null
      }, problem)
      if (condition === 'predicate') await put(tenant, memoryRef, { content: `${canary} is ready.` }, { actor })
      else await editCommitment(tenant, id, { at: toInstant(tenant.now() + soonMs) }, { actor })
      const { runId, jobId } = await waitFor(async () => {
        const found = await findCommitment(tenant, id)
        return found?.commitment.status === 'fired' ? found.commitment : null
      }, problem)
      const again = await fireCommitment(tenant, id, { jobId, leaseToken: '', spent: false })
      const fired = await firedEvents(tenant, runId ?? '')
      const fireCount = fired.length + (again?.fired ? 1 : 0)
      return { event: fired[0], fireCount, ...(includeIntentionCanary ? { intentionCanary: canary } : {}) }
    },
  )
}

/** A word of letters, which no redaction rule takes for a secret. */
function newCanary(hex: string): string {
  const letters = [...hex.slice(0, 8)].map((digit) => 'bcdfghklmnprstvz'[Number.parseInt(digit, 16)])
  return `canary${letters.join('')}`
}

async function firedEvents(tenant: Tenant, runId: string) {
  const events = await allEvents(tenant, runId)
  return events.flatMap(({ type, payload }) => (type === 'commitment.fired' ? [payload] : []))
}
