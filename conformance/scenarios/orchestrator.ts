// Supervisors, their decisions, the loop with a dispatch node, and the chain of events of each worker.
import { randomUUID } from 'node:crypto'
import { asArray, at, type Check, isObject, type RunEventDoc } from '../harness.ts'
import { cancelQuietly, completedRun, finishedRun, hasStatus, ofType, scenario, shapeOf } from '../support.ts'

const facts = 'agents 10, 14'

function needsClaim(check: Check, name: string): void {
  if (at(check.discovery, 'agents', name) !== true) check.inapplicable(`agents.${name} is not advertised`)
}

function needsModel(check: Check, version: number): void {
  const model = at(check.discovery, 'multiAgent', 'executionModel')
  if (at(model, 'supported') !== true || Number(at(model, 'version')) < version)
    check.inapplicable(`multiAgent.executionModel is not advertised at version ${version}`)
}

const decidedIn = (events: readonly RunEventDoc[]) => ofType(events, 'runOrchestrator.decided')
const chainIn = (events: readonly RunEventDoc[]) => ofType(events, 'core.workflowChain.event')
const phasesIn = (events: readonly RunEventDoc[]) => chainIn(events).map(({ payload }) => at(payload, 'phase'))
const kindsIn = (events: readonly RunEventDoc[]) =>
  decidedIn(events).map(({ payload }) => at(payload, 'decision', 'kind'))

async function loopEvents(check: Check, runId: string): Promise<RunEventDoc[]> {
  const events = await check.events(runId)
  for (const event of events)
    if (/^(runOrchestrator|core\.workflowChain|node\.dispatched)/.test(event.type)) check.publishedEvent(event)
  return events
}

/** The child that the first dispatch of a run started. */
async function firstChild(check: Check, events: readonly RunEventDoc[], index = 0) {
  const childRunId = at(ofType(events, 'node.dispatched')[index]?.payload, 'childRunId')
  check.ok(typeof childRunId === 'string', 'node.dispatched names the child run')
  return check.snapshot(String(childRunId))
}

export const scenarios = [
  scenario('orchestratorDispatch', facts, 'A supervisor decides for a worker, and the worker runs', async (check) => {
    needsClaim(check, 'orchestrator')
    const { runId, snapshot } = await completedRun(check, { workflowId: 'conformance-orchestrator-dispatch' })
    const events = await loopEvents(check, runId)
    const [first] = decidedIn(events)
    check.equal(at(first?.payload, 'decision', 'kind'), 'next-worker', 'the first decision')
    check.ok(typeof first?.nodeId === 'string', 'the event of a decision names the node of the supervisor')
    const agentIds = new Set(decidedIn(events).map(({ payload }) => at(payload, 'agentId')))
    check.equal([...agentIds], [at(snapshot, 'runOrchestrator', 'agentId')], 'every decision has the agent of the run')
    check.published('run-snapshot', snapshot, 'the run')
    const [sent] = ofType(events, 'node.dispatched')
    check.equal(sent?.causationId, first?.eventId, 'the dispatch is caused by the decision')
    check.ok(Number(first?.sequence) < Number(sent?.sequence), 'the decision is recorded before its effect')
    check.equal((await firstChild(check, events)).status, 'completed', 'the worker ends')
  }),

  scenario(
    'orchestratorTermination',
    facts,
    'A decision to terminate is the last one, and made once',
    async (check) => {
      needsClaim(check, 'orchestrator')
      const { runId } = await completedRun(check, { workflowId: 'conformance-orchestrator-terminate' })
      const events = await loopEvents(check, runId)
      check.equal(kindsIn(events), ['terminate'], 'the decisions')
      check.equal(ofType(events, 'node.dispatched'), [], 'no worker is dispatched')
    },
  ),

  scenario('dispatchLoop', facts, 'Supervisor and dispatch node take turns until the end', async (check) => {
    needsClaim(check, 'dispatch')
    const { runId } = await completedRun(check, { workflowId: 'conformance-dispatch-loop' })
    check.equal(kindsIn(await loopEvents(check, runId)), ['next-worker', 'terminate'], 'the decisions')
  }),

  scenario(
    'orchestratorConservativePath',
    facts,
    'Low confidence of the agent holds the decision back',
    async (check) => {
      needsClaim(check, 'orchestrator')
      check.needsFixture('conformance-orchestrator-low-confidence')
      const runId = await check.createRun({ workflowId: 'conformance-orchestrator-low-confidence' })
      await check.waitFor(runId, hasStatus('waiting-approval'))
      const events = await loopEvents(check, runId)
      check.equal(decidedIn(events), [], 'nothing is decided')
      const [suspended] = ofType(events, 'node.suspended')
      check.equal(at(suspended?.payload, 'reason'), 'low-confidence', 'the reason of node.suspended')
      check.ok(typeof at(suspended?.payload, 'agentId') === 'string', 'node.suspended names the agent')
      check.ok(
        Number(at(suspended?.payload, 'observed')) < Number(at(suspended?.payload, 'threshold')),
        'the observed confidence is below the threshold',
      )
      const url = `/v1/runs/${runId}/interrupts/${suspended?.nodeId}`
      check.equal(
        (await check.http('POST', url, { body: { resumeValue: { action: 'accept' } } })).status,
        200,
        'ratified',
      )
      check.equal((await check.waitFor(runId)).status, 'completed', 'the run ends after the ratification')
      check.equal(kindsIn(await loopEvents(check, runId)), ['terminate'], 'the ratified decision is made')
    },
  ),

  scenario(
    'multi-agent-handoff-state-machine',
    facts,
    'The chain of a worker has four events, each caused by the one before',
    async (check) => {
      needsModel(check, 1)
      const { runId, snapshot } = await completedRun(check, { workflowId: 'conformance-multi-agent-handoff' })
      const events = await loopEvents(check, runId)
      const chain = chainIn(events)
      check.equal(
        phasesIn(events),
        ['dispatch.began', 'dispatch.succeeded', 'child.completed', 'output.harvested'],
        'the phases',
      )
      const causes = [decidedIn(events)[0]?.eventId, ...chain.slice(0, 3).map(({ eventId }) => eventId)]
      check.equal(
        chain.map(({ causationId }) => causationId),
        causes,
        'the causes',
      )
      check.equal(
        chain.map(({ payload }) => 'childRunId' in (payload as object)),
        [false, true, true, true],
        'childRunId',
      )
      check.equal(at(chain.at(-1)?.payload, 'harvestedKeys'), ['parentResult'], 'harvestedKeys')
      check.equal(at(snapshot, 'variables', 'parentResult'), 'handoff-complete', 'the variable of the parent')
      check.ok(
        chain.every(({ payload }) => at(payload, 'parentRunId') === runId),
        'each names the parent',
      )
    },
  ),

  scenario(
    'multi-agent-confidence-escalation',
    facts,
    'A decision below the floor is escalated, not executed',
    async (check) => {
      needsModel(check, 2)
      check.needsFixture('conformance-multi-agent-confidence-escalation')
      const runId = await check.createRun({ workflowId: 'conformance-multi-agent-confidence-escalation' })
      const held = await check.waitFor(runId, ({ status }) => status.startsWith('waiting-'))
      check.ok(held.status === 'waiting-approval' || held.status === 'waiting-input', 'the run waits for a person')
      const events = await loopEvents(check, runId)
      const escalated = ofType(events, 'core.workflowChain.confidence-escalated')
      check.equal(escalated.length, 1, 'one escalation')
      check.equal(at(escalated[0]?.payload, 'confidence'), 0.3, 'its confidence')
      const floor = Number(at(escalated[0]?.payload, 'floor'))
      check.ok(floor >= 0.5 && floor <= 1, 'its floor is from 0.5 to 1')
      check.equal(
        floor,
        at(check.discovery, 'multiAgent', 'executionModel', 'confidenceEscalationFloor'),
        'the floor claimed',
      )
      check.equal(escalated[0]?.causationId, decidedIn(events)[0]?.eventId, 'the escalation is caused by the decision')
      const [asked] = ofType(events, 'node.suspended')
      check.ok(Number(escalated[0]?.sequence) < Number(asked?.sequence), 'the escalation comes before the interrupt')
      check.equal(chainIn(events), [], 'nothing is dispatched')
      await cancelQuietly(check, runId)
    },
  ),

  scenario(
    'dispatch-input-mapping',
    facts,
    'A child gets the mapped variables of its parent as inputs',
    async (check) => {
      needsClaim(check, 'dispatchMapping')
      const { runId } = await completedRun(check, { workflowId: 'conformance-dispatch-input-mapping' })
      const child = await firstChild(check, await loopEvents(check, runId))
      check.equal(at(child, 'inputs', 'childGreeting'), 'Alice', 'inputs.childGreeting of the child')
    },
  ),

  scenario(
    'dispatch-output-mapping',
    facts,
    'A parent gets the mapped variables of a completed child',
    async (check) => {
      needsClaim(check, 'dispatchMapping')
      const { snapshot } = await completedRun(check, { workflowId: 'conformance-dispatch-output-mapping' })
      check.equal(at(snapshot, 'variables', 'parentResult'), 'done', 'parentResult')
    },
  ),

  scenario(
    'dispatch-output-mapping-failed',
    facts,
    'Nothing is taken from a failed child, and its chain says so',
    async (check) => {
      needsClaim(check, 'dispatchMapping')
      const { runId, snapshot } = await finishedRun(check, { workflowId: 'conformance-dispatch-failed-child' })
      check.equal(snapshot.status, 'failed', 'the parent fails')
      check.equal(at(snapshot, 'variables', 'parentResult'), 'untouched', 'parentResult')
      check.equal(
        phasesIn(await loopEvents(check, runId)),
        ['dispatch.began', 'dispatch.succeeded', 'child.failed'],
        'the phases',
      )
    },
  ),

  scenario('dispatch-output-mapping-cancelled', facts, 'Nothing is taken from a cancelled child', async (check) => {
    needsClaim(check, 'dispatchMapping')
    check.needsFixture('conformance-dispatch-cancelled-child')
    const runId = await check.createRun({ workflowId: 'conformance-dispatch-cancelled-child' })
    const hasChild = (snapshot: object) => asArray(at(snapshot, 'orchestration', 'children')).length > 0
    const started = await check.waitFor(runId, (snapshot) => hasChild(snapshot))
    const childRunId = String(at(started, 'orchestration', 'children', 0, 'runId'))
    await cancelQuietly(check, childRunId)
    const ended = await check.waitFor(runId)
    check.equal(ended.status, 'failed', 'the parent fails')
    check.equal(at(ended, 'variables', 'parentResult'), 'untouched', 'parentResult')
    check.equal(phasesIn(await loopEvents(check, runId)).at(-1), 'child.cancelled', 'the last phase')
  }),

  scenario('dispatch-cross-worker', facts, 'What one worker leaves reaches the next', async (check) => {
    needsClaim(check, 'dispatchMapping')
    const { runId } = await completedRun(check, { workflowId: 'conformance-dispatch-cross-worker' })
    const events = await loopEvents(check, runId)
    check.equal(ofType(events, 'node.dispatched').length, 2, 'two workers')
    check.equal(at(await firstChild(check, events, 1), 'inputs', 'consumed'), 'hello', 'inputs of the second worker')
  }),

  scenario(
    'dispatch-replay',
    'agents 20',
    'A replay repeats decisions and chain, and starts no child',
    async (check) => {
      needsModel(check, 1)
      check.needsFamily('replay')
      const { runId, snapshot } = await completedRun(check, { workflowId: 'conformance-multi-agent-handoff' })
      const forked = await check.http('POST', `/v1/runs/${runId}:fork`, { body: { mode: 'replay', fromSeq: 0 } })
      check.equal(forked.status, 201, 'the fork')
      const replay = await check.waitFor(String(forked.body.runId))
      check.equal(replay.status, 'completed', 'the replay ends')
      const [ours, theirs] = [await check.events(replay.runId), await check.events(runId)]
      check.equal(shapeOf(ours), shapeOf(theirs), 'the log of the replay')
      check.equal(replay.variables, snapshot.variables, 'the variables of the replay')
      const child = String(at(ofType(ours, 'node.dispatched')[0]?.payload, 'childRunId'))
      check.equal((await check.snapshot(child)).parentRunId, runId, 'the child is that of the source')
    },
  ),

  scenario(
    'dispatch-mapped-secret',
    'agents 20',
    'A secret in a mapped variable is redacted in the child',
    async (check) => {
      needsClaim(check, 'dispatchMapping')
      check.needsFamily('secrets')
      const canary = `AKIA${randomUUID().replaceAll('-', '').slice(0, 16).toUpperCase()}`
      const { runId } = await completedRun(check, {
        workflowId: 'conformance-dispatch-input-mapping',
        inputs: { parentName: canary },
      })
      const events = await loopEvents(check, runId)
      const child = await firstChild(check, events)
      check.ok(
        isObject(child.inputs) && String(child.inputs.childGreeting).includes('REDACTED'),
        'the input of the child is redacted',
      )
      check.absent(JSON.stringify([child, events]), canary, 'the secret is neither in the child nor in an event')
    },
  ),
]
