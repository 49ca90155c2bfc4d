import { asArray, type Check, type JsonObject, type Scenario } from '../../harness.ts'
import { consolidate, consolidationClaim } from '../../memory/consolidation.ts'
import { hasExtension, openExtension } from '../../memory/extension.ts'
import { unique } from '../../memory/workflow.ts'

export const memoryConsolidationShape: Scenario = {
  id: 'memory-consolidation-shape',
  facts: 'memory 16.21, 7.3, 10.4',
  title: 'The consolidation claim is well formed, and names long-term memory as what it works on',
  async run(check) {
    const claim = await consolidationClaim(check)
    const strange = Object.keys(claim).filter((key) => key !== 'supported' && key !== 'schedule')
    check.equal(strange, [], 'keys that the closed block does not have')
    check.oneOf(claim.schedule, ['host-managed', 'scheduled', 'on-demand', undefined], 'schedule of the claim')
    const backends = asArray((check.family('agents') as JsonObject | undefined)?.memoryBackends)
    check.ok(backends.includes('long-term'), 'consolidation needs the long-term backend')
  },
}

export const memoryConsolidationIdempotent: Scenario = {
  id: 'memory-consolidation-idempotent',
  facts: 'memory 16.22, 13.2',
  title: 'A second pass over what the first one left has equal counts, and no planted secret comes out',
  async run(check) {
    await consolidationClaim(check)
    const memoryRef = 'mem://conformance/consolidation'
    await consolidate(check, { memoryRef, includeSecretCanary: true })
    const second = await consolidate(check, { memoryRef })
    check.equal(second.outputCount, second.inputCount, 'the counts of the second pass')
  },
}

const secret = '[BYOK:hk_live_canary_42]'
const texts = [
  'The visitor takes tea.',
  'The gate is closed on Sundays.',
  'the visitor takes tea',
  `The key is ${secret}.`,
]

export const memoryConsolidationMerges: Scenario = {
  id: 'memory-consolidation-merges',
  facts: 'agents 20, 4',
  title:
    'Four entries with one duplicate become three, then stay three; the event is in the log of a run, without content',
  async run(check) {
    await consolidationClaim(check)
    if (!(await hasExtension(check))) check.inapplicable('the host has no memory extension')
    const host = await openExtension(check)
    const memoryRef = `mem://conformance/${unique('consolidation')}`
    const planted: string[] = []
    for (const content of texts) planted.push((await host.put(memoryRef, { content })).id)
    const first = await consolidate(check, { memoryRef })
    check.equal([first.inputCount, first.outputCount], [4, 3], 'the counts of the first pass')
    check.equal(first.event.memoryRef, memoryRef, 'memoryRef of the event')
    if (first.event.mergedIds !== undefined)
      check.equal(asArray(first.event.mergedIds).toSorted(), [planted[0], planted[2]].toSorted(), 'mergedIds')
    const left = await host.list(memoryRef)
    check.equal(left.length, 3, 'the entries that are left')
    const contents = left.map(({ content }) => content)
    check.equal(contents.filter((content) => /takes tea/.test(content)).length, 1, 'the duplicate is there once')
    check.ok(contents.includes('The gate is closed on Sundays.'), 'what said something else is still there')
    const marked = contents.find((content) => content.startsWith('The key is'))
    check.matches(marked ?? '', /\[REDACTED:[^\]]+\]/, 'the planted secret stays marked')
    for (const content of contents) check.absent(content, secret, 'an entry holds the secret')
    await expectRecorded(check, first.runId, first.event)
    const second = await consolidate(check, { memoryRef })
    check.equal([second.inputCount, second.outputCount], [3, 3], 'the counts of the second pass')
    check.equal(await host.list(memoryRef), left, 'the second pass changed nothing')
  },
}

/** The event is durable, in the log of the run that records the pass. */
async function expectRecorded(check: Check, runId: unknown, event: JsonObject): Promise<void> {
  if (typeof runId !== 'string') return
  const answer = await check.http('GET', `/v1/runs/${runId}/events/poll?timeout=0`)
  check.equal(answer.status, 200, 'the log of the run: status')
  const events = asArray(answer.body.events) as JsonObject[]
  const found = events.find(({ type }) => type === 'agent.memory.consolidated')
  check.equal(found?.payload, event, 'the event in the log')
  const written = events.filter(({ type }) => type === 'memory.written')
  check.ok(
    written.every(({ nodeId }) => nodeId === undefined),
    'no node wrote what a pass merged',
  )
  for (const text of texts) check.absent(JSON.stringify(events), text, 'the log holds content')
  for (const one of events) check.publishedEvent(one as never)
}
