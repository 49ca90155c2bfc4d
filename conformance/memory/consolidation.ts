// Consolidation as the suite sees it: a pass is made at once, and its event comes back.
import { at, type Check, isObject, type JsonObject } from '../harness.ts'

const path = '/v1/host/sample/memory/consolidate'
const schedules = ['host-managed', 'scheduled', 'on-demand']

/** The claim, as a client without a key reads it. Ends the scenario if there is none. */
export async function consolidationClaim(check: Check): Promise<JsonObject> {
  const { body } = await check.http('GET', '/.well-known/openwop', { auth: 'none' })
  const claim = at(body, 'agents', 'memoryConsolidation')
  if (!isObject(claim) || claim.supported !== true)
    check.inapplicable('agents.memoryConsolidation.supported is not advertised')
  return claim as JsonObject
}

export type ConsolidationEvent = {
  readonly runId: unknown
  readonly event: JsonObject
  readonly inputCount: number
  readonly outputCount: number
}

/** One pass over the ref. */
export async function consolidate(check: Check, body: JsonObject): Promise<ConsolidationEvent> {
  const pass = await check.http('POST', path, { body })
  if (pass.status === 404 || pass.status === 501) check.blocked('the host has no seam to consolidate with')
  check.equal(pass.status, 200, 'a pass: status')
  check.ok(isObject(pass.body.event), 'a pass answers with its event')
  const event = pass.body.event as JsonObject
  const { inputCount, outputCount } = event
  for (const [name, count] of Object.entries({ inputCount, outputCount }))
    check.ok(Number.isInteger(count) && Number(count) >= 0, `${name} of the event`)
  check.ok(Number(outputCount) <= Number(inputCount), 'outputCount is at most inputCount')
  if (pass.body.secretLeaked !== undefined) check.equal(pass.body.secretLeaked, false, 'secretLeaked')
  if (event.trigger !== undefined) check.oneOf(event.trigger, schedules, 'trigger of the event')
  return { runId: pass.body.runId, event, inputCount: Number(inputCount), outputCount: Number(outputCount) }
}
