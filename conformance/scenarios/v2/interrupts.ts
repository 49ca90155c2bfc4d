// Version 2: interrupts, their tokens and who may answer.
import { at, type RunEventDoc } from '../../harness.ts'
import { hasStatus } from '../../support.ts'
import { isEnded, scenarioV2, segmentOf, type V2 } from '../../v2.ts'

const facts = 'v2 10, 14'

async function waiting(v2: V2, workflowId = 'conformance-approval') {
  const runId = await v2.createRun({ workflowId })
  await v2.waitFor(runId, hasStatus('waiting-approval', 'completed', 'failed'))
  const events = (await v2.poll(runId)).events as RunEventDoc[]
  const nodeId = events.find(({ type }) => type === 'node.suspended')?.nodeId ?? 'gate'
  return { runId, path: `/runs/${segmentOf(runId)}/interrupts/${segmentOf(nodeId)}` }
}

export const scenarios = [
  scenarioV2('v2-interrupt-token-scheme', facts, 'A token that is not valid is 401', async (check, v2) => {
    v2.needs('interrupt')
    const old = await v2.http('GET', '/interrupts/not.valid', { auth: 'none' })
    check.refused(old, [401, 404], ['interrupt_token_invalid', 'not_found'], 'a token of two parts')
    const unknown = await v2.http('GET', '/interrupts/ow2.hs256.nokid.x.y', { auth: 'none' })
    v2.refused(unknown, 401, 'interrupt_token_invalid', 'a token of an unknown key')
  }),

  scenarioV2('v2-interrupt-resolve-terminal', facts, 'An interrupt is resolved once', async (check, v2) => {
    v2.needs('interrupt')
    const { runId, path } = await waiting(v2)
    const bad = await v2.http('POST', path, { body: { resumeValue: { action: 'accept' }, more: 1 } })
    v2.refused(bad, 400, 'validation_error', 'an unknown member')
    const body = { resumeValue: { action: 'accept' } }
    check.equal((await v2.http('POST', path, { body })).status, 200, 'the answer')
    await v2.waitFor(runId, isEnded)
    v2.refused(await v2.http('POST', path, { body }), 409, 'interrupt_already_resolved', 'a second answer')
    const unknown = await v2.http('POST', `/runs/${segmentOf(runId)}/interrupts/nowhere`, { body })
    v2.refused(unknown, 404, 'not_found', 'an unknown node')
  }),

  scenarioV2('v2-approver-enforced', facts, 'Only a listed approver resolves an approval', async (check, v2) => {
    v2.needs('interrupt')
    const { runId, path } = await waiting(v2, 'conformance-approval-approvers')
    check.equal((await v2.snapshot(runId)).status, 'waiting-approval', 'the run waits')
    const answer = await v2.http('POST', path, { body: { resumeValue: { action: 'accept' } } })
    check.refused(answer, [403], ['forbidden', 'run_forbidden'], 'the answer of a key that is not listed')
    check.equal((await v2.snapshot(runId)).status, 'waiting-approval', 'the run keeps waiting')
    await v2.http('POST', `/runs/${segmentOf(runId)}/cancel`, { body: {} })
  }),

  scenarioV2(
    'v2-approval-reject-disposition',
    facts,
    'A rejection fails the run and is recorded',
    async (check, v2) => {
      v2.needs('interrupt')
      const { runId, path } = await waiting(v2)
      const rejected = await v2.http('POST', path, { body: { resumeValue: { action: 'reject' } } })
      check.equal(rejected.status, 200, 'the rejection')
      const snapshot = await v2.waitFor(runId, isEnded)
      check.equal(snapshot.status, 'failed', 'the end of the run')
      check.equal(at(snapshot.error, 'code'), 'approval_rejected', 'its error')
      const resolved = (await v2.events(runId)).find(
        ({ type }) => type === 'interrupt.resolved' || type === 'approval.received',
      )
      check.equal(at(resolved?.payload, 'action'), 'reject', 'the recorded action')
      check.equal(at(resolved?.payload, 'decision'), 'rejected', 'the recorded decision')
      check.ok(typeof at(resolved?.payload, 'resolvedBy', 'issuer') === 'string', 'who resolved it is a subject')
    },
  ),
]
