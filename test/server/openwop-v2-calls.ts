import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before } from 'node:test'
import { type Call, useServer } from '../support/server.ts'
import { chain, delay, gate, noop, put, register, until } from './runs-calls.ts'

/** A server with some workflows, and calls of version 2 on their runs. */

export const newKey = () => randomBytes(16).toString('base64url')
export const segment = (runId: string) => runId.replace('/', '~2F')
/** The id without its tenant, as version 1 has it. */
export const bare = (runId: string) => runId.slice(runId.indexOf('/') + 1)

const ended = ['completed', 'failed', 'cancelled']

export function useRunsOfV2() {
  const server = useServer()
  let own: { readonly id: string; readonly call: Call }
  const call: Call = (...args) => own.call(...args)
  before(async () => {
    own = await server.tenant()
    await register(call, chain('visit', [put('keep', 'tea'), noop('then')]))
    await register(call, chain('asks', [gate('gate'), noop('then')]))
    await register(call, chain('waits', [delay(), noop('then')]))
    await register(call, chain('fails', [{ id: 'fail', typeId: 'core.fail', config: { code: 'out_of_tea' } }]))
    await register(call, chain('named', [gate('gate', { approversList: ['key:somebody-else'] })]))
  })
  const untilStatus = (runId: string, ...statuses: string[]) =>
    until(call, bare(runId), statuses.join(' or '), ({ status }) => statuses.includes(status))
  return {
    server,
    call,
    tenantId: () => own.id,
    async start(workflowId: string, draft: object = {}): Promise<string> {
      const answer = await call('POST', '/runs', { workflowId, ...draft })
      assert.equal(answer.status, 201, answer.text)
      return answer.body.runId as string
    },
    read: async (runId: string) => (await call('GET', `/runs/${segment(runId)}`)).body,
    poll: async (runId: string, query = 'timeout=1') =>
      (await call('GET', `/runs/${segment(runId)}/events/poll?${query}`)).body,
    untilStatus,
    untilEnded: (runId: string) => untilStatus(runId, ...ended),
  }
}
