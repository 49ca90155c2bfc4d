import { z } from 'zod'
import { distillRef } from '../app/distillation/distill-ref.ts'
import { putMany } from '../app/entries/put.ts'
import { getFile } from '../app/workspace/files.ts'
import { canonicalJson } from '../core/canonical.ts'
import { checkDistilledRef } from '../core/distillation/check-request.ts'
import { memoryIndexPath } from '../core/distillation/memory-index.ts'
import { checkTokenBudget, effectiveBudget } from '../core/distillation/token-plan.ts'
import { ColophonError } from '../core/errors.ts'
import { defaultWorkspace } from '../core/workspace/workspace-file.ts'
import { type App, principalOf, type RouteParts } from '../http/route-context.ts'

const DistillSeam = z.looseObject({
  memoryRef: z.string().min(1),
  tokenBudget: z.number().optional(),
  sources: z.array(z.union([z.string(), z.looseObject({ content: z.string() })])).optional(),
})

/** What is distilled when a test names no sources and the ref is empty. */
const ownCorpus = ['The visitor takes tea.', 'The visitor comes on Mondays.', 'The visitor parks in the yard.']

/**
 * Distills within the request, for conformance tests, by the ordinary use case. Given sources are stored first, each set once and under
 * a ref of its own, so that the same sources are distilled alike.
 */
export function distillationSeams(app: App, { engine, stopping }: RouteParts): void {
  app.post(
    '/v1/host/sample/memory/distill',
    { config: { access: 'memory:admin' }, schema: { hide: true, body: DistillSeam } },
    async (request) => {
      const { tenantId, actor } = principalOf(request)
      const tenant = engine.tenant(tenantId)
      const { memoryRef: named, tokenBudget, sources } = request.body
      if (tokenBudget !== undefined) checkTokenBudget('tokenBudget', tokenBudget)
      const texts = sources?.map((source) => (typeof source === 'string' ? source : source.content))
      const { digest } = await tenant.context()
      const memoryRef = texts === undefined ? named : `${named}/${digest(canonicalJson(texts)).slice(0, 16)}`
      checkDistilledRef('memoryRef', memoryRef)
      const { entries } = await tenant.list(memoryRef, { limit: 1 })
      const drafts = (texts ?? ownCorpus).map((content) => ({ content }))
      if (entries.length === 0)
        await putMany(tenant, memoryRef, drafts, {
          actor,
          idempotencyKey: `seam-distill-${digest(memoryRef).slice(0, 32)}`,
        })
      const made = await distillRef(tenant, {
        distillationId: tenant.system.newId('dst'),
        memoryRef,
        tokenBudget: effectiveBudget(tokenBudget),
        actor,
        signal: stopping,
      })
      if (made === null) throw new ColophonError('not_found', 'There is nothing to distill.')
      // The stored event, not one that is built here: the suite must test the real one.
      const events = await engine.storage.runs.events({ tenantId, runId: made.runId, from: 0, limit: 100 })
      const event = events.find(({ type }) => type === 'memory.compacted')
      const { distillation } = (event?.payload ?? {}) as { distillation?: { indexUpdated?: boolean } }
      const indexUpdated = distillation?.indexUpdated === true
      const { content: _content, ...indexFile } = await getFile(tenant, defaultWorkspace, memoryIndexPath)
      return {
        event: { type: event?.type, payload: event?.payload, distillation },
        archiveChecksum: made.checksum,
        indexUpdated,
        indexFile,
        runId: made.runId,
      }
    },
  )
}
