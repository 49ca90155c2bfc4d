import {
  checkResolves,
  readInterrupt,
  resolveInterrupt,
  verifyInterruptToken,
} from '../../../app/runs/resolve-interrupt.ts'
import { respond, route } from '../../../http/route.ts'
import { idempotencyOf } from '../../../http/route-context.ts'
import { InterruptView, Resolved, ResumeDraft } from '../schemas/interrupts.ts'
import { toInterruptView } from '../views/runs.ts'

const tag = 'interrupts'

/** Interrupts of runs. They are resolved with a key, or with the token of the interrupt. */
export const interruptRoutes = [
  route('answerInterrupt', 'POST /v1/runs/{runId}/interrupts/{nodeId}', 'approvals:respond', {
    summary: 'Resolve an interrupt of a run',
    description:
      'Stores the answer and resumes the run. An interrupt is resolved once; a second answer is refused. An approval with `approversList` accepts answers of these keys only (403 otherwise). One with `requiredApprovals` is accepted when that many different keys have accepted, and rejected by one rejection.',
    tag,
    body: ResumeDraft,
    responses: { 200: Resolved },
    async handler({ tenant, params, body, principal, write }) {
      const given = { value: body.resumeValue, by: principal.actor }
      const { run, repeated } = await resolveInterrupt(tenant, params, given, write)
      return respond({ ...params, status: run.status }, { repeated })
    },
  }),
  // The token replaces the API key: it is signed, and names its tenant.
  route('getInterruptByToken', 'GET /v1/interrupts/{token}', 'public', {
    summary: 'Get an interrupt by its token',
    description: 'What a run waits for. The token is the credential: it is signed, and valid for 30 minutes at most.',
    tag,
    responses: { 200: InterruptView },
    async handler({ parts: { engine }, params }) {
      const { tenant, ...key } = await verifyInterruptToken(engine, params.token)
      return toInterruptView(await readInterrupt(engine.tenant(tenant), key))
    },
  }),
  route('answerInterruptByToken', 'POST /v1/interrupts/{token}', 'public', {
    summary: 'Resolve an interrupt by its token',
    description: 'Stores the answer and resumes the run. The token is the credential.',
    tag,
    body: ResumeDraft,
    responses: { 200: Resolved },
    async handler({ parts: { engine }, params, body, request }) {
      const payload = await verifyInterruptToken(engine, params.token)
      checkResolves(payload)
      const { tenant, runId, nodeId, interruptId } = payload
      const given = { value: body.resumeValue, by: null }
      const write = { actor: `interrupt:${runId}`, ...idempotencyOf(request) }
      const { run, repeated } = await resolveInterrupt(
        engine.tenant(tenant),
        { runId, nodeId, interruptId },
        given,
        write,
      )
      return respond({ runId, nodeId, status: run.status }, { repeated })
    },
  }),
]
