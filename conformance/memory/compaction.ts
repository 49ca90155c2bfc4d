// Compaction as the suite sees it: entries are planted, a pass is made at once, and its event comes back.
import { at, type Check, isObject, type JsonObject } from '../harness.ts'
import { unique } from './workflow.ts'

const triggers = ['host-managed', 'client-requested', 'both']

/** Ends the scenario unless the host says it compacts and can be made to do so. */
async function needsCompaction(check: Check): Promise<void> {
  if (at(check.family('memory'), 'compaction', 'supported') !== true)
    check.inapplicable('memory.compaction.supported is not advertised')
  const probe = await check.http('POST', '/v1/test/memory/compact', { body: {} })
  if (probe.status === 404) check.blocked('the host has no seam to compact with')
  check.equal(probe.status, 400, 'a pass over nothing in particular: status')
}

/** One of its own for every pass: scenarios run side by side. */
export const compactedRef = (name: string): string =>
  `mem_tenant:default_agent:conformance-rfc0012-${unique(name)}_longTerm`

export type Pass = { readonly memoryRef: string; readonly payload: JsonObject; readonly outputContent: string }

/** Plants the texts and compacts them. */
export async function compactTexts(check: Check, name: string, texts: readonly string[]): Promise<Pass> {
  await needsCompaction(check)
  const memoryRef = compactedRef(name)
  const entries = texts.map((content, index) => ({ id: `${name}-${index}`, content, tags: ['conformance'] }))
  const planted = await check.http('POST', '/v1/test/memory/seed', { body: { memoryRef, entries } })
  check.equal(planted.status, 201, 'planting entries: status')
  return compactRef(check, memoryRef)
}

/** One pass over what is stored under the ref. */
export async function compactRef(check: Check, memoryRef: string): Promise<Pass> {
  const pass = await check.http('POST', '/v1/test/memory/compact', { body: { memoryRef } })
  check.equal(pass.status, 200, 'a pass over some entries: status')
  check.equal(pass.body.type, 'memory.compacted', 'what a pass answers')
  check.ok(isObject(pass.body.payload), 'the event of a pass has a payload')
  check.ok(typeof pass.body.outputContent === 'string', 'a pass shows what it stored')
  return { memoryRef, payload: pass.body.payload as JsonObject, outputContent: String(pass.body.outputContent) }
}

export function expectCompacted(check: Check, { memoryRef, payload }: Pass, sources: number): void {
  check.equal(payload.memoryRef, memoryRef, 'memoryRef of the event')
  check.ok(typeof payload.outputId === 'string' && payload.outputId !== '', 'outputId of the event')
  check.ok(Number.isInteger(payload.sourceCount) && Number(payload.sourceCount) >= sources, 'sourceCount of the event')
  check.oneOf(payload.trigger, triggers, 'trigger of the event')
  check.ok(Number.isInteger(payload.byteSize) && Number(payload.byteSize) >= 0, 'byteSize of the event')
  if (payload.sourceIds === undefined) return
  const ids = payload.sourceIds as readonly unknown[]
  check.ok(
    ids.every((id) => typeof id === 'string' && id !== ''),
    'sourceIds are names',
  )
  check.equal(new Set(ids).size, payload.sourceCount, 'sourceIds are all of them')
}

/** The output as the list of the ref shows it. */
export async function findOutput(check: Check, { memoryRef, payload }: Pass): Promise<JsonObject> {
  const answer = await check.http('GET', `/v1/memory/${encodeURIComponent(memoryRef)}?limit=50`)
  if (answer.status === 404) check.blocked('the host lists no memory over HTTP')
  check.equal(answer.status, 200, 'the list of the ref: status')
  const entries = (answer.body.entries ?? []) as readonly JsonObject[]
  const output = entries.find(({ id }) => id === payload.outputId)
  if (output === undefined) check.blocked('the list of the ref does not show what came out')
  return output as JsonObject
}
