import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publishedSchemas } from '../../../../test/support/published-v2.ts'
import { continueRun, openUseCases, putChain, startRun, type UseCaseWorld } from '../../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../../adapters/in-memory/open.ts'
import { cancelRun, pauseRun, resumeRun } from '../../../app/runs/control.ts'
import { allEvents } from '../../../app/runs/recorded-run.ts'
import { resolveInterrupt } from '../../../app/runs/resolve-interrupt.ts'
import type { Run, RunEvent } from '../../../core/run/run.ts'
import { toEventDocument } from './event-document.ts'

type Play = (world: UseCaseWorld, run: Run) => Promise<unknown>

const by = { actor: 'key:k1' }
const gate = {
  id: 'gate',
  typeId: 'core.approvalGate',
  config: { actions: ['accept', 'reject', 'edit-accept', 'ask'] },
}
const decide =
  (action: string): Play =>
  async (world, { runId }) => {
    const answer = { value: { action }, by: 'key:k1' }
    const { run } = await resolveInterrupt(world.tenant, { runId, nodeId: 'gate' }, answer, by)
    return run.status === 'running' ? continueRun(world, run) : run
  }

/** Runs that record every event type of this host. */
const plays: Readonly<Record<string, readonly [nodes: Parameters<typeof putChain>[2], play?: Play]>> = {
  writes: [[{ id: 'put', typeId: 'colophon.memory.put', config: { memoryRef: 'notes', content: 'tea' } }]],
  fails: [[{ id: 'fail', typeId: 'core.fail', config: { code: 'out_of_tea', message: 'No tea.' } }]],
  accepted: [[gate], decide('accept')],
  rejected: [[gate], decide('reject')],
  asked: [[gate], decide('ask')],
  overdue: [
    [{ ...gate, config: { timeoutMs: 5 } }],
    async (world, run) => {
      world.clock.advance(10)
      await continueRun(world, run)
    },
  ],
  clarified: [
    [{ id: 'gate', typeId: 'core.clarificationGate', config: { questions: [{ id: 'q', question: 'Tea?' }] } }],
    async ({ tenant }, { runId }) =>
      resolveInterrupt(tenant, { runId, nodeId: 'gate' }, { value: { answers: { q: 'yes' } }, by: null }),
  ],
  external: [
    [{ id: 'gate', typeId: 'core.interrupt', config: { kind: 'external-event', data: { correlation: { a: 1 } } } }],
  ],
  paused: [
    [gate],
    async ({ tenant }, { runId }) => {
      await pauseRun(tenant, runId, { reason: 'Noon.', drainPolicy: 'immediate' }, by)
      await resumeRun(tenant, runId, { reason: 'Later.' }, by)
    },
  ],
  cancelled: [[gate], async ({ tenant }, { runId }) => cancelRun(tenant, runId, 'Enough.', by)],
}

async function logOf(name: keyof typeof plays & string): Promise<{ run: Run; events: RunEvent[] }> {
  await using world = openUseCases(openInMemoryStore)
  const [nodes, play] = plays[name] as (typeof plays)[string]
  await putChain(world, name, nodes)
  const run = await startRun(world, { workflowId: name })
  await play?.(world, run)
  return { run, events: await allEvents(world.tenant, run.runId) }
}

async function shownOf(name: keyof typeof plays & string, type: string) {
  const { run, events } = await logOf(name)
  const found = events.findLast((event) => event.type === type)
  assert.ok(found, `${name} has ${type}`)
  return toEventDocument('acme', run.runId, found)
}

const subject = { issuer: 'urn:colophon:api-key', subjectId: 'k1', tenant: 'acme', lane: 'api-key', kind: 'user' }
const interruptId = /^acme\/int-[0-9a-f]{32}$/

test('an event names its run with the tenant, and its first attempt is 0', async () => {
  const started = await shownOf('writes', 'node.started')
  assert.match(started.runId, /^acme\/run_[0-9a-f-]{36}$/)
  assert.match(started.eventId, /^evt_[0-9a-f-]{36}_1$/)
  assert.equal(started.engineVersion, 1)
  assert.deepEqual(started.payload, { nodeId: 'put', typeId: 'colophon.memory.put', attempt: 0 })
})

test('the owner of a run and who resolved an interrupt are subjects', async () => {
  const { payload } = await shownOf('accepted', 'run.started')
  const { owner } = payload as { owner: { tenant: string; subject: object } }
  assert.deepEqual(Object.keys(owner), ['tenant', 'subject'])
  const resolved = (await shownOf('accepted', 'interrupt.resolved')).payload
  assert.match(String(resolved.interruptId), interruptId)
  const { interruptId: _bound, ...rest } = resolved
  assert.deepEqual(rest, {
    nodeId: 'gate',
    kind: 'approval',
    action: 'accept',
    resolvedBy: subject,
    decision: 'granted',
  })
})

test('a rejection and a timeout are recorded as rejections, and fail with approval_rejected', async () => {
  const rejected = (await shownOf('rejected', 'interrupt.resolved')).payload
  assert.deepEqual([rejected.action, rejected.decision], ['reject', 'rejected'])
  const overdue = (await shownOf('overdue', 'interrupt.resolved')).payload
  assert.deepEqual([overdue.action, overdue.decision, overdue.reason], ['timeout', 'rejected', 'timeout'])
  for (const name of ['rejected', 'overdue'])
    for (const type of ['node.failed', 'run.failed']) {
      const { error } = (await shownOf(name, type)).payload as { error: { code: string; retryable: boolean } }
      assert.deepEqual([error.code, error.retryable], ['approval_rejected', false], `${name} ${type}`)
    }
})

test('an approval is requested and received with the payloads of interrupts', async () => {
  assert.deepEqual((await shownOf('accepted', 'approval.requested')).payload, {
    kind: 'approval',
    key: 'gate',
    data: {
      artifactId: 'gate',
      artifactType: 'approval',
      title: 'gate',
      actions: ['accept', 'reject', 'edit-accept', 'ask'],
    },
  })
  const received = (await shownOf('accepted', 'approval.received')).payload
  assert.deepEqual([received.kind, received.decision, received.resolvedBy], ['approval', 'granted', subject])
})

test('members that version 2 has no place for are kept under another name', async () => {
  assert.equal((await shownOf('paused', 'run.paused')).payload['x-by'], 'key:k1')
  assert.deepEqual((await shownOf('asked', 'log.appended')).payload.fields, { by: 'key:k1' })
})

test('a code that is not registered is replaced, and kept in the details', async () => {
  const { error } = (await shownOf('fails', 'run.failed')).payload
  assert.deepEqual(error, { code: 'internal_error', message: 'No tea.', details: { code: 'out_of_tea' } })
})

for (const name of Object.keys(plays)) {
  test(`the log of a run that is ${name} matches the published schemas`, async (t) => {
    const published = publishedSchemas()
    if (published === null) return t.skip('the published schemas are not installed')
    const { run, events } = await logOf(name)
    assert.ok(events.length > 0)
    for (const event of events) {
      const document = toEventDocument('acme', run.runId, event)
      assert.equal(published.problemOf('run-event.schema.json', document), null, JSON.stringify(document))
      const definition: string | undefined = published.payloadOf[document.type]
      assert.ok(definition, document.type)
      const id: string = `run-event-payloads.schema.json#/$defs/${definition}`
      assert.equal(published.problemOf(id, document.payload), null, JSON.stringify(document))
    }
  })
}
