import { checkResolves, readInterrupt, resolveInterrupt } from '../../../app/runs/resolve-interrupt.ts'
import { respond, route } from '../../../http/route.ts'
import { InterruptView } from '../../openwop-v1/schemas/interrupts.ts'
import { toInterruptView } from '../../openwop-v1/views/runs.ts'
import { writeOf } from '../idempotency.ts'
import { bindId, openAuthoredId, openPathId } from '../ids.ts'
import { Resolved, ResumeDraft } from '../schemas/interrupts.ts'
import { verifyToken } from './token.ts'

const tag = 'interrupts'

/** Interrupts of runs. They are resolved with a key, or with the token of the interrupt. */
export const interruptRoutes = [
  route('resolveInterruptByRun', 'POST /runs/{runId}/interrupts/{nodeId}', 'approvals:respond', {
    summary: 'Resolve an interrupt of a run',
    description:
      'Stores the answer and resumes the run. An interrupt is resolved once; a second answer is refused. An approval with `approversList` accepts answers of these keys only (403 otherwise), and stays open.',
    tag,
    body: ResumeDraft,
    responses: { 200: Resolved },
    async handler({ tenant, params, body, principal, request }) {
      const write = writeOf(request, 'resolveInterruptByRun', principal.actor)
      const runId = openPathId('runId', tenant.id, params.runId)
      const nodeId = openAuthoredId('nodeId', params.nodeId)
      const given = { value: body.resumeValue, by: principal.actor }
      const { run, repeated } = await resolveInterrupt(tenant, { runId, nodeId }, given, write)
      return respond({ runId: bindId(tenant.id, runId), nodeId, status: run.status }, { repeated })
    },
  }),
  // The token replaces the API key: it is signed, and names its tenant.
  route('inspectInterruptByToken', 'GET /interrupts/{token}', 'public', {
    summary: 'Get an interrupt by its token',
    description: 'What a run waits for. The token is the credential: it is signed, and valid for 30 minutes at most.',
    tag,
    responses: { 200: InterruptView },
    async handler({ parts: { engine }, params }) {
      const { tenant, ...key } = await verifyToken(engine, params.token)
      return toInterruptView(await readInterrupt(engine.tenant(tenant), key, { refusesEnded: true }))
    },
  }),
  route('resolveInterruptByToken', 'POST /interrupts/{token}', 'public', {
    summary: 'Resolve an interrupt by its token',
    description: 'Stores the answer and resumes the run. The token is the credential.',
    tag,
    body: ResumeDraft,
    responses: { 200: Resolved },
    async handler({ parts: { engine }, params, body, request }) {
      const payload = await verifyToken(engine, params.token)
      checkResolves(payload)
      const { tenant, runId, nodeId, interruptId } = payload
      const given = { value: body.resumeValue, by: null }
      const write = writeOf(request, 'resolveInterruptByToken', `interrupt:${runId}`)
      const key = { runId, nodeId, interruptId }
      const { run, repeated } = await resolveInterrupt(engine.tenant(tenant), key, given, write)
      return respond({ runId: bindId(tenant, runId), nodeId, status: run.status }, { repeated })
    },
  }),
]
