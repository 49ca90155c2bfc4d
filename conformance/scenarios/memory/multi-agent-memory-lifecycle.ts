import { at, type Check, type JsonObject, type Scenario } from '../../harness.ts'
import { hasExtension } from '../../memory/extension.ts'

const executionModel = (check: Check): JsonObject | undefined =>
  at(check.family('multiAgent'), 'executionModel') as JsonObject | undefined

export const multiAgentMemoryConcurrencyClaim: Scenario = {
  id: 'multi-agent-memory-lifecycle-concurrency-claim',
  facts: 'memory 16.24 leg A, 7.4',
  title: 'How siblings share memory is claimed with a known word',
  async run(check) {
    const claim = executionModel(check)?.crossChildMemoryConcurrency
    if (claim === undefined)
      check.inapplicable('multiAgent.executionModel.crossChildMemoryConcurrency is not advertised')
    check.oneOf(claim, ['strict', 'advisory'], 'crossChildMemoryConcurrency')
  },
}

/** The operator's expired run, or a fresh one that the host's own seam puts past retention. */
async function expiredRun(check: Check): Promise<string> {
  if (check.target.expiredRunId !== null) return check.target.expiredRunId
  check.needsFixture('conformance-noop')
  const runId = await check.createRun({ workflowId: 'conformance-noop', inputs: {} })
  await check.waitFor(runId)
  const answer = await check.http('POST', `/v1/test/runs/${runId}/expire`)
  if (answer.status !== 204) check.blocked('there is no expired run (--expired-run) and no seam to make one')
  return runId
}

/** A bounds fault must be named before memory is looked at; a log that is gone can only know its bounds if it kept them. */
async function expectBoundsFirst(check: Check, runId: string): Promise<void> {
  const answer = await check.http('POST', `/v1/runs/${runId}:fork`, { body: { mode: 'replay', fromSeq: 999_999 } })
  check.refused(answer, [422], ['invalid_from_seq'], 'a replay from a sequence the run never had')
}

export const multiAgentMemoryLifecycle: Scenario = {
  id: 'multi-agent-memory-lifecycle',
  facts: 'memory 16.24 MAE-3, 11.3',
  title: 'A replay whose memory is no longer there is refused, never served from the memory of today',
  async run(check) {
    // Our extension promises the same without the claim of an execution model.
    if (!(Number(executionModel(check)?.version) >= 2) && !(await hasExtension(check))) {
      check.inapplicable('multiAgent.executionModel.version is not 2 or more')
    }
    check.needsFamily('memory')
    const runId = await expiredRun(check)
    const answer = await check.http('POST', `/v1/runs/${runId}:fork`, { body: { mode: 'replay', fromSeq: 0 } })
    check.refused(answer, [422], ['replay_memory_snapshot_unavailable'], 'a replay of an expired run')
    check.equal(at(answer.body.details, 'fromSeq'), 0, 'details.fromSeq')
    check.equal(at(answer.body.details, 'sourceRunId'), runId, 'details.sourceRunId')
    const reasons = ['retention_expired', 'event_log_unavailable']
    check.oneOf(at(answer.body.details, 'reason'), reasons, 'details.reason')
    // Only a run of our own is known to have a log whose bounds the host still has.
    if (check.target.expiredRunId === null) await expectBoundsFirst(check, runId)
  },
}
