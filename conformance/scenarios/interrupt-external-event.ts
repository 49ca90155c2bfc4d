// A run that waits for another system, which holds a token instead of a key.
import { at, type Check } from '../harness.ts'
import { cancelQuietly, hasStatus, scenario } from '../support.ts'

const facts = 'core 26.11'
const tokenFacts = 'core 26.12'
const fixture = 'conformance-interrupt-external-event'
const matching = { orderId: 'fixture-order-1', status: 'completed' }

async function waitingRun(check: Check): Promise<{ runId: string; path: string }> {
  check.needsFixture(fixture)
  const runId = await check.createRun({ workflowId: fixture })
  const snapshot = await check.waitFor(runId, hasStatus('waiting-external', 'failed', 'completed'))
  check.equal(snapshot.status, 'waiting-external', 'the status of the suspended run')
  const token = at(snapshot, 'interrupt', 'interruptToken')
  const callback = String(at(snapshot, 'interrupt', 'callbackUrl') ?? '')
  const found = typeof token === 'string' ? token : /\/v1\/interrupts\/([^/?#]+)/.exec(callback)?.[1]
  check.ok(found, 'snapshot.interrupt exposes interruptToken or callbackUrl')
  return { runId, path: `/v1/interrupts/${found}` }
}

const deliver = (check: Check, path: string, resumeValue: unknown) =>
  check.http('POST', path, { auth: 'none', body: { resumeValue } })

export const scenarios = [
  scenario(
    'interrupt-external-event.match',
    facts,
    'A matching event resumes the run, with the token alone',
    async (check) => {
      const { runId, path } = await waitingRun(check)
      const answer = await deliver(check, path, matching)
      check.ok(answer.status >= 200 && answer.status < 300, `the matching event is taken, not ${answer.status}`)
      check.equal((await check.waitFor(runId)).status, 'completed', 'the terminal status')
    },
  ),

  scenario('interrupt-external-event.mismatch', facts, 'An event for another order is refused', async (check) => {
    const { runId, path } = await waitingRun(check)
    const answer = await deliver(check, path, { ...matching, orderId: 'another-order' })
    check.refused(answer, [422, 400], null, 'the event of another order')
    check.matches((await check.snapshot(runId)).status, /^waiting-/, 'the status after the refusal')
    await cancelQuietly(check, runId)
  }),

  scenario('interrupt-token.inspect', tokenFacts, 'The token shows what the run waits for', async (check) => {
    const { runId, path } = await waitingRun(check)
    const answer = await check.http('GET', path, { auth: 'none' })
    check.equal(answer.status, 200, 'GET /v1/interrupts/<token>')
    check.equal(answer.body.kind, 'external-event', 'the kind')
    await cancelQuietly(check, runId)
  }),

  scenario('interrupt-token.malformed', tokenFacts, 'A malformed token is 400 or 404', async (check) => {
    check.refused(await check.http('GET', '/v1/interrupts/not-a-token'), [400, 404], null, 'GET with a malformed token')
  }),

  scenario('interrupt-token.unknown', tokenFacts, 'A token that was never issued is 404', async (check) => {
    const claims = {
      runId: 'none',
      nodeId: 'none',
      interruptId: 'none',
      expiresAt: '2099-01-01T00:00:00Z',
      intent: 'resolve',
    }
    const forged = `${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${Buffer.alloc(32).toString('base64url')}`
    const path = `/v1/interrupts/${forged}`
    check.refused(await check.http('GET', path), [404], null, 'GET with a forged token')
    check.refused(await deliver(check, path, matching), [404], null, 'POST with a forged token')
  }),

  scenario('interrupt-token.tampered', 'core 15', 'A token with another signature does not resolve', async (check) => {
    const { runId, path } = await waitingRun(check)
    const changed = `${path.slice(0, -6)}${path.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA'}`
    check.refused(await deliver(check, changed, matching), [400, 401, 403, 404], null, 'a tampered token')
    check.matches((await check.snapshot(runId)).status, /^waiting-/, 'the status after the refusal')
    await cancelQuietly(check, runId)
  }),

  scenario('interrupt-token.second-resolve', tokenFacts, 'A token works once', async (check) => {
    const { runId, path } = await waitingRun(check)
    const first = await deliver(check, path, matching)
    check.ok(first.status >= 200 && first.status < 300, `the first resolve is taken, not ${first.status}`)
    await check.waitFor(runId)
    check.refused(await deliver(check, path, matching), [404, 409, 410], null, 'the second resolve')
  }),
]
