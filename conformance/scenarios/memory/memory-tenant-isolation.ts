import type { Answer, Check, Scenario } from '../../harness.ts'
import { type Entry, idsOf } from '../../memory/entry.ts'
import {
  type Extension,
  entriesPath,
  extensionPath,
  openExtension,
  openForeignExtension,
} from '../../memory/extension.ts'
import { getNode, listNode, putNode, uniqueRef, workflow } from '../../memory/workflow.ts'

type Sides = { readonly mine: Extension; readonly theirs: Extension }

/** No response to another tenant may contain the ref, the entry or its text. */
function expectNoEcho(check: Check, answer: Answer, secrets: readonly string[], message: string): void {
  for (const text of secrets) check.absent(answer.text, text, `${message}: the answer echoes what was asked for`)
}

async function expectSameRefApart(check: Check, { mine, theirs }: Sides): Promise<void> {
  const ref = uniqueRef('shared-name')
  const alpha = await mine.put(ref, { content: 'alpha belongs to the first tenant' })
  const beta = await theirs.put(ref, { content: 'beta belongs to the second tenant' })
  check.ok(alpha.id !== beta.id, 'two tenants get different entry ids')
  check.equal(await mine.list(ref), [alpha], 'the ref for the first tenant')
  check.equal(await theirs.list(ref), [beta], 'the same ref for the second tenant')
  check.refused(await theirs.get(ref, alpha.id), [404], ['not_found'], 'an entry of the other tenant by its id')
  check.equal(await theirs.remove(ref, alpha.id), false, 'deleting an entry of the other tenant')
  check.equal(await mine.list(ref), [alpha], 'the ref of the first tenant after that')
}

async function expectForeignRefEmpty(check: Check, { theirs }: Sides, ref: string, entry: Entry): Promise<void> {
  const echoes = [ref, encodeURIComponent(ref), entry.content]
  const list = await theirs.send('GET', entriesPath(ref))
  check.equal(list.status, 200, 'the list of a foreign ref: status')
  check.equal(list.body.entries, [], 'the list of a foreign ref')
  expectNoEcho(check, list, [...echoes, entry.id], 'the list of a foreign ref')
  const plain = await theirs.send('GET', `/v1/memory/${encodeURIComponent(ref)}`)
  check.equal(plain.body.entries, [], 'GET /v1/memory/{ref} of a foreign ref')
  for (const path of [entriesPath(ref, entry.id), `${entriesPath(ref, entry.id)}/colophon`]) {
    const answer = await theirs.send('GET', path)
    check.refused(answer, [404], ['not_found'], 'a foreign entry or its colophon')
    expectNoEcho(check, answer, echoes, 'a foreign entry or its colophon')
  }
  const refs = await theirs.send('GET', extensionPath('memory?limit=500'))
  check.equal(refs.status, 200, 'the refs of the second tenant: status')
  check.absent(refs.text, ref, 'the refs of the second tenant hold one of the first')
}

/** Refs that name nothing: no lookup may be tried with them, and none may come back in an answer. */
async function expectMalformedEmpty(check: Check, { mine }: Sides, ref: string, entry: Entry): Promise<void> {
  for (const malformed of [`x/../${ref}`, `${ref}\u0000`, `${ref}\n`, `${ref}${'/long'.repeat(60)}`]) {
    const list = await mine.send('GET', entriesPath(malformed))
    check.equal(list.status, 200, 'the list of a malformed ref: status')
    check.equal(list.body.entries, [], 'the list of a malformed ref')
    const answer = await mine.get(malformed, entry.id)
    check.refused(answer, [404], ['not_found'], 'an entry under a malformed ref')
    for (const seen of [list, answer]) expectNoEcho(check, seen, [ref, encodeURIComponent(ref)], 'a malformed ref')
  }
}

async function expectForeignRunClosed(check: Check, { mine, theirs }: Sides, ref: string, entry: Entry): Promise<void> {
  const document = workflow('isolation', [
    listNode('list', { memoryRef: ref, into: 'seen' }),
    getNode('get', { memoryRef: ref, id: entry.id, into: 'found' }),
  ])
  const runId = await mine.start(document)
  const control = await mine.finish(runId)
  check.equal(control.seen, [entry], 'the owner reads its ref in a run')
  check.equal(control.found, entry, 'the owner reads its entry in a run')

  const run = `/v1/runs/${runId}`
  for (const path of [
    `${entriesPath(ref)}?runId=${runId}`,
    `${entriesPath(ref, entry.id)}?runId=${runId}`,
    extensionPath(`runs/${runId}/reads`),
  ]) {
    const answer = await theirs.send('GET', path)
    check.refused(answer, [404], ['not_found', 'run_not_found'], 'memory through a run of the other tenant')
    expectNoEcho(check, answer, [ref, entry.id, entry.content], 'memory through a run of the other tenant')
  }
  for (const path of [run, `${run}/events`, `${run}/events/poll?timeout=1`, `${run}/debug-bundle`]) {
    const answer = await theirs.send('GET', path)
    check.refused(answer, [403, 404], null, 'a run of the other tenant')
    expectNoEcho(check, answer, [ref, entry.id, entry.content], 'a run of the other tenant')
  }
  const fork = await theirs.fork(runId, { mode: 'replay', fromSeq: 0 })
  check.refused(fork, [403, 404], null, 'a fork of a run of the other tenant')
  const stolen = await theirs.send('POST', '/v1/runs', { workflowId: document.id })
  check.refused(stolen, [400, 403, 404], null, 'a workflow of the other tenant')
}

/** The same nodes in a run of the second tenant: the adapter answers with nothing, and writes stay where they belong. */
async function expectRunIsolated(check: Check, { mine, theirs }: Sides, ref: string, entry: Entry): Promise<void> {
  const document = workflow('isolation-foreign', [
    listNode('list', { memoryRef: ref, into: 'seen' }),
    getNode('get', { memoryRef: ref, id: entry.id, into: 'found' }),
    putNode('put', { memoryRef: ref, content: 'gamma belongs to the second tenant', into: 'own' }),
    listNode('list-own', { memoryRef: ref, into: 'withOwn' }),
  ])
  await theirs.register(document)
  // Whatever tenant a caller names, the key decides.
  const body = { workflowId: document.id, tenantId: 'default', inputs: { tenantId: 'default' } }
  const made = await theirs.send('POST', '/v1/runs', body)
  check.oneOf(made.status, [201, 403], 'a run with the name of another tenant in its body')
  const runId =
    made.status === 201
      ? String(made.body.runId)
      : await check.createRun({ workflowId: document.id }, { auth: theirs.auth })
  const variables = await theirs.finish(runId)
  check.equal(variables.seen, [], 'a foreign ref in a run')
  check.equal(variables.found, null, 'a foreign entry in a run')
  check.equal(variables.withOwn, [variables.own], 'the own write under the same name')
  check.equal(idsOf(await mine.list(ref)), [entry.id], 'the ref of the first tenant after that')
}

export const memoryTenantIsolation: Scenario = {
  id: 'memory-tenant-isolation',
  facts: 'memory 4 (named by RFC 0004, never published)',
  title: 'CTI-1: nothing of one tenant is read, changed, found or named by another, over HTTP or in a run',
  async run(check) {
    const mine = await openExtension(check)
    const sides = { mine, theirs: openForeignExtension(check) }
    const ref = uniqueRef('first-only')
    const entry = await mine.put(ref, { content: 'only the first tenant knows this' })
    const withoutKey = await check.http('GET', entriesPath(ref), { auth: 'none' })
    check.refused(withoutKey, [401], null, 'memory without a key')
    await expectSameRefApart(check, sides)
    await expectForeignRefEmpty(check, sides, ref, entry)
    await expectMalformedEmpty(check, sides, ref, entry)
    await expectForeignRunClosed(check, sides, ref, entry)
    await expectRunIsolated(check, sides, ref, entry)
  },
}
