// Small helpers that many scenarios share.
import { randomUUID } from 'node:crypto'
import { asArray, at, type Check, type JsonObject, type RunEventDoc, type Scenario, type Snapshot } from './harness.ts'

export const scenario = (
  id: string,
  facts: string,
  title: string,
  run: (check: Check) => Promise<void>,
  options: { readonly isAlone?: boolean } = {},
): Scenario => ({ id, facts, title, run, ...options })

export const terminalEvents: readonly string[] = ['run.completed', 'run.failed', 'run.cancelled']

export const freshKey = (): string => `conformance-${randomUUID()}`

/** Never the id of a run that exists. */
export const unknownId = (): string => `conformance-unknown-${randomUUID()}`

export const ofType = (events: readonly RunEventDoc[], type: string): RunEventDoc[] =>
  events.filter((event) => event.type === type)

/** node.* events carry the node in the envelope; payloads repeat it. */
export const nodeOf = (event: RunEventDoc): unknown => event.nodeId ?? at(event.payload, 'nodeId')

/** What two logs of the same execution have in common: everything but ids and clocks. */
export const shapeOf = (events: readonly RunEventDoc[]): unknown[] =>
  events.map(({ type, nodeId, payload }) => ({ type, nodeId: nodeId ?? null, payload }))

/** Creates a run and waits until it is terminal. */
export async function finishedRun(
  check: Check,
  body: JsonObject & { readonly workflowId: string },
): Promise<{ readonly runId: string; readonly snapshot: Snapshot }> {
  check.needsFixture(body.workflowId)
  const runId = await check.createRun(body)
  return { runId, snapshot: await check.waitFor(runId) }
}

export async function completedRun(
  check: Check,
  body: JsonObject & { readonly workflowId: string },
): Promise<{ readonly runId: string; readonly snapshot: Snapshot }> {
  const run = await finishedRun(check, body)
  check.equal(run.snapshot.status, 'completed', `a run of ${body.workflowId} ends`)
  return run
}

export const hasStatus =
  (...wanted: readonly string[]) =>
  (snapshot: JsonObject): boolean =>
    wanted.includes(String(snapshot.status))

export const strings = (value: unknown): readonly string[] =>
  asArray(value).filter((item): item is string => typeof item === 'string')

/** A run that is still going must not hold the host up after its scenario. */
export async function cancelQuietly(check: Check, runId: string): Promise<void> {
  await check.http('POST', `/v1/runs/${runId}/cancel`, { body: { reason: 'the conformance scenario is over' } })
}
