// The host extension: memory over HTTP, workflows of the suite's own, and the journal of what a run read.
import { type Answer, asArray, at, type Check, type JsonObject } from '../harness.ts'
import { type Entry, expectEntries, expectEntry } from './entry.ts'
import { expectCompleted } from './long-term.ts'

const base = '/v1/host/colophon'

export type Draft = { readonly content: string; readonly tags?: readonly string[]; readonly expiresAt?: string }
export type Read = {
  readonly sequence: number
  readonly nodeId: string
  readonly op: string
  readonly memoryRef: string
  readonly entryIds: readonly string[]
  readonly position: number
  readonly at: string
}
export type Journal = { readonly snapshot: { readonly position: number; readonly at: string }; readonly reads: Read[] }
export type Extension = ReturnType<typeof extensionAs>

/** A host that names the extension in its document has it, whatever it answers. */
export async function hasExtension(check: Check): Promise<boolean> {
  if (at(check.discovery, 'x-host-colophon-memory-query', 'supported') === true) return true
  return (await check.http('GET', `${base}/memory?limit=1`)).status !== 404
}

/** Ends the scenario as inapplicable on a host that does not have the extension at all. */
export async function openExtension(check: Check): Promise<Extension> {
  if (!(await hasExtension(check))) check.inapplicable('the host has no memory extension')
  return extensionAs(check, 'key')
}

/** The extension as the second tenant sees it. */
export function openForeignExtension(check: Check): Extension {
  if (check.target.keyB === null) check.blocked('there is no key of a second tenant (--key-b)')
  return extensionAs(check, 'keyB')
}

export const entriesPath = (ref: string, id?: string): string =>
  `${base}/memory/${encodeURIComponent(ref)}/entries${id === undefined ? '' : `/${encodeURIComponent(id)}`}`

export const extensionPath = (rest: string): string => `${base}/${rest}`

function extensionAs(check: Check, auth: 'key' | 'keyB') {
  const send = (method: string, path: string, body?: unknown): Promise<Answer> =>
    check.http(method, path, body === undefined ? { auth } : { auth, body })

  const extension = {
    auth,
    send,
    tryPut: (ref: string, draft: Draft): Promise<Answer> => send('POST', entriesPath(ref), draft),
    async put(ref: string, draft: Draft): Promise<Entry> {
      const answer = await extension.tryPut(ref, draft)
      check.equal(answer.status, 201, `put: status (${String(answer.body.error ?? '')})`)
      return expectEntry(check, answer.json, 'put')
    },
    async list(ref: string, query = ''): Promise<Entry[]> {
      const answer = await send('GET', entriesPath(ref) + query)
      check.equal(answer.status, 200, `list${query}: status`)
      return expectEntries(check, answer.body.entries, `list${query}`)
    },
    get: (ref: string, id: string, query = ''): Promise<Answer> => send('GET', entriesPath(ref, id) + query),
    async remove(ref: string, id: string): Promise<unknown> {
      const answer = await send('DELETE', entriesPath(ref, id))
      check.equal(answer.status, 200, 'delete: status')
      return answer.body.deleted
    },
    /** The run that wrote an entry, from its colophon. */
    async writerOf(ref: string, id: string): Promise<string> {
      const answer = await send('GET', `${entriesPath(ref, id)}/colophon`)
      check.equal(answer.status, 200, 'the colophon of an entry: status')
      check.equal(at(answer.body.origin, 'kind'), 'run', 'the origin of what a run wrote')
      return String(at(answer.body.origin, 'runId'))
    },
    async putSecret(id: string, value: string): Promise<void> {
      const answer = await send('PUT', extensionPath(`secrets/${id}`), { value, scope: 'tenant' })
      check.equal(answer.status, 204, 'PUT secret: status')
    },
    removeSecret: (id: string): Promise<Answer> => send('DELETE', extensionPath(`secrets/${id}`)),

    async register(document: JsonObject): Promise<void> {
      const answer = await send('POST', extensionPath('workflows'), document)
      if (answer.status === 404) check.blocked('workflows cannot be registered over HTTP')
      check.equal(answer.status, 201, `registering ${String(document.id)} (${answer.text.slice(0, 300)})`)
      check.equal(answer.body.id, document.id, 'the registered id')
    },
    /** Registers the workflow and starts it. */
    async start(document: JsonObject, inputs: JsonObject = {}): Promise<string> {
      await extension.register(document)
      return check.createRun({ workflowId: document.id, inputs }, { auth })
    },
    /** The variables of a run that must complete. */
    async finish(runId: string): Promise<JsonObject> {
      return expectCompleted(check, await check.waitFor(runId, undefined, { auth }))
    },
    async untilGate(runId: string, nodeId: string): Promise<void> {
      const run = await check.waitFor(
        runId,
        ({ status, currentNodeId }) =>
          (status === 'waiting-approval' && currentNodeId === nodeId) || status === 'failed' || status === 'completed',
        { auth },
      )
      check.equal(run.status, 'waiting-approval', `the run waits at ${nodeId} (${String(at(run, 'error', 'code'))})`)
    },
    async passGate(runId: string, nodeId: string): Promise<void> {
      const answer = await send('POST', `/v1/runs/${runId}/interrupts/${nodeId}`, { resumeValue: { action: 'accept' } })
      check.equal(answer.status, 200, `accepting ${nodeId}`)
    },
    async journal(runId: string): Promise<Journal> {
      const answer = await send('GET', extensionPath(`runs/${runId}/reads`))
      check.equal(answer.status, 200, 'GET runs/{id}/reads: status')
      check.ok(Number.isInteger(at(answer.json, 'snapshot', 'position')), 'the journal names the snapshot position')
      check.ok(Array.isArray(answer.body.reads), 'the journal lists reads')
      return { snapshot: answer.body.snapshot as Journal['snapshot'], reads: asArray(answer.body.reads) as Read[] }
    },
    fork: (runId: string, body: JsonObject): Promise<Answer> => send('POST', `/v1/runs/${runId}:fork`, body),
    /** A fork that must be accepted, run to its end. */
    async forked(runId: string, body: JsonObject): Promise<{ readonly runId: string; readonly variables: JsonObject }> {
      const answer = await extension.fork(runId, body)
      check.equal(answer.status, 201, `fork ${JSON.stringify(body)} (${answer.text.slice(0, 200)})`)
      const forkId = String(answer.body.runId)
      return { runId: forkId, variables: await extension.finish(forkId) }
    },
  }
  return extension
}
