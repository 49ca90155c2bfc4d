// The seed of the attribution scenarios: a no-op run, after which the host itself is expected to remember something.
import { asArray, at, type Check, isObject, type JsonObject, type RunEventDoc } from '../harness.ts'

const seedWorkflow = 'conformance-noop'

/** The claim, read at the root; the deprecated wrapper only fills a gap. */
export function attributionClaim(check: Check): JsonObject | undefined {
  const claim =
    at(check.discovery, 'memory', 'attribution') ?? at(check.discovery, 'capabilities', 'memory', 'attribution')
  return isObject(claim) ? claim : undefined
}

export function claimsWriteEvents(check: Check): boolean {
  const claim = attributionClaim(check)
  return claim?.supported === true && claim.emitsWriteEvents === true
}

export function needsWriteEvents(check: Check): void {
  if (!claimsWriteEvents(check)) check.inapplicable('memory.attribution.emitsWriteEvents is not advertised')
}

export type SeededRun = {
  readonly runId: string
  readonly log: readonly RunEventDoc[]
  readonly written: RunEventDoc[]
}

export async function seedRun(check: Check, auth = 'key'): Promise<SeededRun> {
  check.needsFixture(seedWorkflow)
  const made = await check.http('POST', '/v1/runs', { body: { workflowId: seedWorkflow, inputs: {} }, auth })
  if (made.status === 403) check.blocked(`the key is not allowed to run ${seedWorkflow}`)
  check.oneOf(made.status, [200, 201], `POST /v1/runs for ${seedWorkflow}`)
  const runId = String(made.body.runId)
  await check.waitFor(runId, undefined, { auth })
  const log = await readLog(check, runId, auth)
  return { runId, log, written: writtenOf(log) }
}

/** A seeded run that is known to have written; one that did not cannot show how writes are attributed. */
export async function seedWritingRun(check: Check, auth = 'key'): Promise<SeededRun> {
  const run = await seedRun(check, auth)
  if (run.written.length === 0) check.blocked('the seeded run wrote no memory')
  return run
}

/** The whole log as JSON, from the streaming route and without a query: its default mode must show memory writes. */
export async function readLog(check: Check, runId: string, auth = 'key'): Promise<RunEventDoc[]> {
  const answer = await check.http('GET', `/v1/runs/${runId}/events`, { auth })
  if (!Array.isArray(answer.body.events)) check.blocked('GET /v1/runs/{id}/events does not answer JSON')
  return asArray(answer.body.events) as RunEventDoc[]
}

export const writtenOf = (log: readonly RunEventDoc[]): RunEventDoc[] =>
  log.filter(({ type }) => type === 'memory.written')

export const memoryIdsOf = (written: readonly RunEventDoc[]): string[] =>
  written.map(({ payload }) => String(at(payload, 'memoryId')))

/** Every write stands before the end of the run, because the terminal event is the last one. */
export function expectBeforeTerminal(check: Check, log: readonly RunEventDoc[]): void {
  const last = log.at(-1)
  check.oneOf(last?.type, ['run.completed', 'run.failed', 'run.cancelled'], 'the last event of a finished run')
}
