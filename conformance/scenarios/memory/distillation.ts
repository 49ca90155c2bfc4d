// Distillation within a token budget (RFC 0062): its claim, its budget, its archive, its index, and secrets.
import { asArray, at, type Check, isObject, type JsonObject, type Scenario } from '../../harness.ts'
import { memoryBlocks } from '../../memory/claim-rules.ts'
import { hasExtension, openExtension } from '../../memory/extension.ts'
import { unique, uniqueRef, workflow } from '../../memory/workflow.ts'
import { completedRun } from '../../support.ts'

const facts = 'memory 13.1, 16.16-16.20; agents 2, 20'
const indexUrl = '/v1/host/workspace/files/MEMORY-INDEX.json'
const canary = 'sk-canary-rfc0062-do-not-leak-qrs456'

function claimOf(check: Check): JsonObject {
  const claim = at(check.family('memory'), 'distillation')
  if (!isObject(claim) || claim.supported !== true)
    check.inapplicable('memory.distillation.supported is not advertised')
  return claim as JsonObject
}

async function tryDistill(check: Check, body: JsonObject) {
  claimOf(check)
  const answer = await check.http('POST', '/v1/host/sample/memory/distill', { body })
  if ([404, 405].includes(answer.status)) check.blocked('the host has no seam to distill with')
  return answer
}

async function distill(check: Check, body: JsonObject): Promise<JsonObject> {
  const answer = await tryDistill(check, body)
  check.equal(answer.status, 200, 'a distillation: status')
  return answer.body
}

/** What the index says of a ref; other scenarios distill other refs meanwhile. */
async function indexed(check: Check, memoryRef: string): Promise<unknown> {
  const { body } = await check.http('GET', indexUrl)
  return at(JSON.parse(String(body.content ?? '{}')), 'refs', memoryRef)
}

const distillationShape: Scenario = {
  id: 'distillation-shape',
  facts,
  title: 'The claim of distillation has its types and no other keys, and what it needs is claimed too',
  async run(check) {
    const claim = claimOf(check)
    const rules = memoryBlocks.distillation
    for (const [key, value] of Object.entries(claim))
      check.ok(rules?.keys[key]?.(value) === true, `memory.distillation.${key} has the type of the schema`)
    if (claim.scheduled === true)
      check.equal(at(check.discovery, 'scheduling', 'supported'), true, 'scheduled distillation needs scheduling')
    if (claim.indexEmitted === true)
      check.equal(at(check.discovery, 'workspace', 'supported'), true, 'the index needs a workspace')
  },
}

const distillationTokenBudget: Scenario = {
  id: 'distillation-token-budget',
  facts,
  title: 'What a distillation uses is within its budget; one that cannot fit is refused, and nothing is written',
  async run(check) {
    const memoryRef = unique('conformance-distill')
    const made = await distill(check, { memoryRef, tokenBudget: 8_000 })
    const budget = at(made, 'event', 'distillation', 'tokenBudget')
    const used = at(made, 'event', 'distillation', 'tokensUsed')
    check.ok(typeof budget === 'number' && typeof used === 'number', 'the event has the budget and the tokens used')
    check.ok(Number(used) <= Number(budget), 'the tokens used are within the budget')
    const before = await indexed(check, memoryRef)
    const refused = await tryDistill(check, { memoryRef, tokenBudget: 1 })
    check.ok(refused.status >= 400, 'a budget of one token is refused')
    check.equal(refused.body.error, 'token_budget_exceeded', 'the code of the refusal')
    check.equal(refused.body.archiveChecksum, undefined, 'a refusal names no archive')
    check.equal(await indexed(check, memoryRef), before, 'the index after a refusal')
    if (!(await hasExtension(check))) return
    const { minimumRequired } = refused.body.details as { minimumRequired?: number }
    check.equal(
      (await tryDistill(check, { memoryRef, tokenBudget: Number(minimumRequired) - 1 })).body.error,
      'token_budget_exceeded',
      'one token less than the smallest budget',
    )
    await distill(check, { memoryRef, tokenBudget: Number(minimumRequired) })
  },
}

const distillationEvent: Scenario = {
  id: 'distillation-event',
  facts,
  title: 'The event of a distillation is in the log of its run, content-free, and its archive can be read',
  async run(check) {
    const made = await distill(check, { memoryRef: unique('conformance-distill'), tokenBudget: 8_000 })
    const log = await check.http('GET', `/v1/runs/${String(made.runId)}/events/poll`)
    const event = asArray(log.body.events).find((each) => at(each, 'type') === 'memory.compacted')
    check.ok(isObject(event), 'the log of the run has memory.compacted')
    const payload = at(event, 'payload') as JsonObject
    check.equal(payload.trigger, 'host-managed', 'the trigger of a distillation')
    check.equal(payload.distillation, at(made, 'event', 'distillation'), 'the budget in the log')
    check.absent(JSON.stringify(log.json), 'visitor', 'the log holds content')
    if (!(await hasExtension(check))) return
    const host = await openExtension(check)
    const archive = await host.get(String(payload.memoryRef), String(payload.outputId))
    check.equal(archive.status, 200, 'the archive, got by its id')
    check.equal(Buffer.byteLength(String(archive.body.content)), payload.byteSize, 'byteSize is that of the archive')
  },
}

const distillationStableArchive: Scenario = {
  id: 'distillation-stable-archive',
  facts,
  title: 'The same sources and budget give the same archive, another budget another one',
  async run(check) {
    const body = { memoryRef: unique('conformance-distill'), tokenBudget: 8_000, sources: ['s1', 's2', 's3'] }
    const [first, second] = [await distill(check, body), await distill(check, body)]
    check.ok(typeof first.archiveChecksum === 'string' && first.archiveChecksum !== '', 'the checksum is a text')
    check.equal(second.archiveChecksum, first.archiveChecksum, 'the checksum of the same sources and budget')
    const other = await distill(check, { ...body, tokenBudget: 7_000 })
    check.ok(other.archiveChecksum !== first.archiveChecksum, 'another budget has another checksum')
  },
}

const distillationIndexRoundtrip: Scenario = {
  id: 'distillation-index-roundtrip',
  facts,
  title: 'A distillation updates the index file, and the next run sees it',
  async run(check) {
    if (claimOf(check).indexEmitted !== true) check.inapplicable('memory.distillation.indexEmitted is not advertised')
    const memoryRef = unique('conformance-distill')
    const made = await distill(check, { memoryRef, tokenBudget: 8_000, indexEmitted: true })
    check.equal(made.indexUpdated, true, 'indexUpdated')
    check.ok(made.indexFile !== null && made.indexFile !== undefined, 'the answer has the index file')
    const file = await check.http('GET', indexUrl)
    check.equal(file.status, 200, 'the index file: status')
    const content = String(file.body.content)
    check.ok(
      content.includes(memoryRef) && content.includes(String(made.archiveChecksum)),
      'the index names the archive',
    )
    check.absent(content, 'visitor', 'the index holds content')
    const { snapshot } = await completedRun(check, { workflowId: 'conformance-noop' })
    const seen = asArray(snapshot.workspace).map((each) => at(each, 'path'))
    check.ok(seen.includes('MEMORY-INDEX.json'), 'the next run sees the index')
  },
}

const distillationSecretCarryforward: Scenario = {
  id: 'distillation-secret-carryforward',
  facts,
  title: 'SR-1: a secret of a source is in no answer, archive or index of a distillation',
  async run(check) {
    const memoryRef = unique('conformance-distill')
    const sources = [{ content: `notes with embedded secret ${canary}` }]
    const made = await distill(check, { memoryRef, tokenBudget: 8_000, includeSecretCanary: true, sources })
    check.absent(JSON.stringify(made), canary, 'the answer holds the secret')
    check.absent((await check.http('GET', indexUrl)).text, canary, 'the index holds the secret')
    if (!(await hasExtension(check))) return
    const host = await openExtension(check)
    const payload = at(made, 'event', 'payload') as JsonObject
    const archive = await host.get(String(payload.memoryRef), String(payload.outputId))
    check.absent(JSON.stringify(archive.json), canary, 'the archive holds the secret')
    check.matches(String(archive.body.content), /\[REDACTED:[^\]]+\]/, 'the archive has the marker')
  },
}

const distillationWorkflow: Scenario = {
  id: 'distillation-workflow',
  facts,
  title: 'A run of a workflow distills within the budget of its options, and fails when it cannot',
  async run(check) {
    claimOf(check)
    const host = await openExtension(check)
    const memoryRef = uniqueRef('distilled')
    await host.put(memoryRef, { content: 'The visitor takes tea.' })
    const node = { id: 'distill', typeId: 'colophon.memory.distill', config: { memoryRef, into: 'archive' } }
    const document = workflow('distilling', [node])
    check.equal((await host.send('POST', '/v1/host/colophon/workflows', document)).status, 201, 'the workflow: status')
    const small = { configurable: { 'distillation.tokenBudget': 1 } }
    const failed = await check.waitFor(await check.createRun({ workflowId: document.id, ...small }))
    check.equal(
      [failed.status, at(failed, 'error', 'code')],
      ['failed', 'token_budget_exceeded'],
      'a run without budget',
    )
    const enough = { configurable: { 'distillation.tokenBudget': 900 } }
    const run = await check.waitFor(await check.createRun({ workflowId: document.id, ...enough }))
    const archive = await host.get(memoryRef, String(at(run, 'variables', 'archive')))
    check.equal(archive.body.content, 'The visitor takes tea.', 'the archive that the run made')
  },
}

export const distillationScenarios: readonly Scenario[] = [
  distillationShape,
  distillationTokenBudget,
  distillationEvent,
  distillationStableArchive,
  distillationIndexRoundtrip,
  distillationSecretCarryforward,
  distillationWorkflow,
]
