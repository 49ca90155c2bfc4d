// Version 2: a secret that the host resolves appears nowhere.
import { createHash } from 'node:crypto'
import { type Answer, type Check, isObject, type JsonObject } from '../../harness.ts'
import { isEnded, scenarioV2, segmentOf, type V2 } from '../../v2.ts'

const facts = 'v2 11, 14'
const echo = 'openwop-smoke-byok-roundtrip'
const thenFails = 'conformance-secret-resolve-then-fail'

type Digest = { readonly sha256: string; readonly length: number }

/** The digest that the node shows, wherever the host puts it. */
function digestIn(value: unknown): Digest | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { secretSha256, secretLength } = value as JsonObject
  if (typeof secretSha256 === 'string' && typeof secretLength === 'number')
    return { sha256: secretSha256, length: secretLength }
  for (const member of Object.values(value)) {
    const found = digestIn(member)
    if (found !== undefined) return found
  }
  return undefined
}

/** Whether a text has a part of the given length with the digest. The suite does not know the secret itself. */
function holds(text: string, { sha256, length }: Digest): boolean {
  for (let start = 0; start + length <= text.length; start += 1) {
    const part = text.slice(start, start + length)
    if (createHash('sha256').update(part).digest('hex') === sha256) return true
  }
  return false
}

/** Everything that can be read of a run. */
async function surfacesOf(check: Check, v2: V2, created: Answer): Promise<Readonly<Record<string, string>>> {
  check.equal(created.status, 201, `POST (${created.text.slice(0, 200)})`)
  const runId = String(created.body.runId)
  await v2.waitFor(runId, isEnded)
  const path = `/runs/${segmentOf(runId)}`
  const [snapshot, poll, effects, cancel, stream] = await Promise.all([
    v2.http('GET', path),
    v2.http('GET', `${path}/events/poll?timeout=1`),
    v2.http('GET', `${path}/effects`),
    v2.http('POST', `${path}/cancel`, { body: {} }),
    v2.sse(`${path}/events?streamMode=debug`),
  ])
  const texts = { created, snapshot, poll, effects, cancel }
  const read = Object.entries(texts).map(([name, { text }]) => [name, text])
  return Object.fromEntries([...read, ['stream', stream.text]])
}

export const scenarios = [
  scenarioV2(
    'v2-secret-canary-absent',
    facts,
    'A secret that a run resolves is on no surface of it, of a failed run, or of a fork',
    async (check, v2) => {
      v2.needs('secrets')
      for (const id of [echo, thenFails]) check.needsFixture(id)
      const create = (workflowId: string) => v2.http('POST', '/runs', { body: { workflowId } })
      const created = await create(echo)
      const completed = await surfacesOf(check, v2, created)
      const digest = digestIn(JSON.parse(completed.snapshot ?? '')) ?? digestIn(JSON.parse(completed.poll ?? ''))
      check.ok(isObject(digest), 'the digest of the secret is shown')
      if (digest === undefined) return
      const source = segmentOf(String(created.body.runId))
      const fork = await v2.http('POST', `/runs/${source}:fork`, { body: { mode: 'replay', fromSeq: 0 } })
      const failed = await surfacesOf(check, v2, await create(thenFails))
      check.equal(JSON.parse(failed.snapshot ?? '').status, 'failed', 'the run that fails after it')
      const all = { completed, failed, fork: await surfacesOf(check, v2, fork) }
      for (const [run, surfaces] of Object.entries(all))
        for (const [name, text] of Object.entries(surfaces))
          check.ok(!holds(text, digest), `the secret is not in ${name} of the ${run} run`)
    },
  ),
]
