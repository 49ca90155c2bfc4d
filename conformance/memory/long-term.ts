// How the published memory scenarios look into a host: they run a fixture workflow and read what it left in variables.
import { asArray, at, type Check, type HttpOptions, isObject, type JsonObject, type Snapshot } from '../harness.ts'

export const hasLongTerm = (check: Check): boolean =>
  asArray(check.family('agents')?.memoryBackends).includes('long-term')

/** The gate of the agentMemory* scenarios: without the claim they do not apply, with it the fixture is required. */
export function needsLongTerm(check: Check, fixture: string): void {
  if (!hasLongTerm(check)) check.inapplicable('agents.memoryBackends does not hold long-term')
  check.needsFixture(fixture)
}

export async function runFixture(check: Check, workflowId: string, options: HttpOptions = {}): Promise<Snapshot> {
  const runId = await check.createRun({ workflowId }, options)
  return check.waitFor(runId, undefined, options)
}

export function expectCompleted(check: Check, run: Snapshot): JsonObject {
  const error = run.status === 'completed' ? '' : ` (${String(at(run, 'error', 'code') ?? 'no error code')})`
  check.equal(run.status, 'completed', `run of ${run.workflowId}${error}`)
  check.ok(isObject(run.variables), `run of ${run.workflowId}: variables is an object`)
  return run.variables as JsonObject
}

/** An answer to a foreign ref: nothing. A variable that was never set proves nothing, so undefined is not accepted. */
export const isNothing = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0)

export const redactedMarker = /\[REDACTED:[^\]]+\]/
