import { openToken, readInterrupt, resolveInterrupt } from '../../../app/runs/interrupts.ts'
import { ColophonError } from '../../../core/errors.ts'
import { type App, idempotencyOf, principalOf, type RouteParts, writeOptions } from '../../../http/context.ts'
import { markReplay } from '../../../http/replay.ts'
import { NodeParams, NoQuery, TokenParams } from '../../params.ts'
import { InterruptView, Resolved, ResumeDraft } from '../schemas/interrupts.ts'

const tags = ['interrupts']

/** Questions that runs wait on: answered with a key, or with the token that the question itself gave out. */
export function interruptRoutes(app: App, { engine }: RouteParts): void {
  app.post(
    '/v1/runs/:runId/interrupts/:nodeId',
    {
      config: { access: 'approvals:respond' },
      schema: {
        tags,
        params: NodeParams,
        querystring: NoQuery,
        body: ResumeDraft,
        response: { 200: Resolved },
      },
    },
    async (request, reply) => {
      const { tenantId, actor } = principalOf(request)
      const { runId, nodeId } = request.params
      const answer = { value: request.body.resumeValue, by: actor }
      const { run, repeated } = await resolveInterrupt(
        engine.tenant(tenantId),
        { runId, nodeId },
        answer,
        writeOptions(request),
      )
      markReplay(request, reply, repeated)
      return { runId, nodeId, status: run.status }
    },
  )

  // The token is the key here: it names its tenant, and nothing in it can be changed.
  app.get(
    '/v1/interrupts/:token',
    {
      config: { access: 'public' },
      schema: { tags, params: TokenParams, querystring: NoQuery, response: { 200: InterruptView } },
    },
    async (request) => {
      const { tenant, runId, nodeId } = await openToken(engine, request.params.token)
      return (await readInterrupt(engine.tenant(tenant), runId, nodeId)) as never
    },
  )

  app.post(
    '/v1/interrupts/:token',
    {
      config: { access: 'public' },
      schema: {
        tags,
        params: TokenParams,
        querystring: NoQuery,
        body: ResumeDraft,
        response: { 200: Resolved },
      },
    },
    async (request, reply) => {
      const { tenant, runId, nodeId, intent } = await openToken(engine, request.params.token)
      if (intent !== 'resolve') throw new ColophonError('forbidden', 'This token is for looking only.')
      const answer = { value: request.body.resumeValue, by: null }
      const options = { actor: `interrupt:${runId}`, ...idempotencyOf(request) }
      const { run, repeated } = await resolveInterrupt(engine.tenant(tenant), { runId, nodeId }, answer, options)
      markReplay(request, reply, repeated)
      return { runId, nodeId, status: run.status }
    },
  )
}
