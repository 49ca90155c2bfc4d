// What the scenarios of version 2 work with: requests with its header, ids in a path, and its discovery document.
import {
  type Answer,
  asArray,
  type Check,
  type HttpOptions,
  isObject,
  type JsonObject,
  pause,
  type RunEventDoc,
  type Scenario,
  type SseOptions,
} from './harness.ts'
import { strings, terminalEvents } from './support.ts'

/** The header of version 2. */
export const two = { 'OpenWOP-Version': '2.0' } as const
export const discoveryPath = '/.well-known/openwop'

/** An id as one segment of a path: every byte that is not plain becomes ~HH. */
export const segmentOf = (id: string): string =>
  Array.from(Buffer.from(id), (byte) => {
    const character = String.fromCharCode(byte)
    return /^[A-Za-z0-9._-]$/.test(character) ? character : `~${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')

export const boundId = /^(anon:)?[A-Za-z0-9._~-]{1,128}\/[A-Za-z0-9._~-]{16,128}$/

export type V2 = Awaited<ReturnType<typeof v2Of>>

async function v2Of(check: Check) {
  if (!strings(check.discovery.protocolVersions).some((version) => version.startsWith('2.')))
    check.inapplicable('the host does not list a version 2')
  const http = (method: string, path: string, options: HttpOptions = {}): Promise<Answer> =>
    check.http(method, path, { ...options, headers: { ...two, ...options.headers } })
  const answer = await http('GET', discoveryPath, { auth: 'none' })
  check.equal(answer.status, 200, 'discovery under version 2')
  const discovery = answer.body
  const v2 = {
    discovery,
    http,
    sse: (path: string, options: SseOptions = {}) =>
      check.sse(path, { ...options, headers: { ...two, ...options.headers } }),
    /** The record of a family. Without one, the scenario does not bind the host. */
    needs(name: string): JsonObject {
      const family = discovery[name]
      if (!isObject(family)) check.inapplicable(`${name} is not advertised`)
      return family as JsonObject
    },
    async createRun(body: JsonObject, options: HttpOptions = {}): Promise<string> {
      check.needsFixture(String(body.workflowId))
      const made = await http('POST', '/runs', { ...options, body })
      check.equal(made.status, 201, `POST /runs for ${String(body.workflowId)} (${made.text.slice(0, 200)})`)
      check.matches(made.body.runId, boundId, 'the created run has an id that is bound to its tenant')
      return String(made.body.runId)
    },
    async snapshot(runId: string, options: HttpOptions = {}): Promise<JsonObject> {
      const read = await http('GET', `/runs/${segmentOf(runId)}`, options)
      check.equal(read.status, 200, 'GET of a run')
      return read.body
    },
    async waitFor(runId: string, isDone: (snapshot: JsonObject) => boolean, options: HttpOptions = {}) {
      const deadline = Date.now() + check.patienceMs
      for (;;) {
        const snapshot = await v2.snapshot(runId, options)
        if (isDone(snapshot) || Date.now() >= deadline) return snapshot
        await pause(50)
      }
    },
    async completedRun(body: JsonObject, options: HttpOptions = {}): Promise<string> {
      const runId = await v2.createRun(body, options)
      const { status } = await v2.waitFor(runId, isEnded, options)
      check.equal(status, 'completed', `a run of ${String(body.workflowId)} ends`)
      return runId
    },
    async poll(runId: string, query: Record<string, string> = {}, options: HttpOptions = {}): Promise<JsonObject> {
      const search = new URLSearchParams({ timeout: '1', ...query })
      const read = await http('GET', `/runs/${segmentOf(runId)}/events/poll?${search}`, options)
      check.equal(read.status, 200, 'a poll of events')
      return read.body
    },
    async events(runId: string, options: HttpOptions = {}): Promise<RunEventDoc[]> {
      const all: RunEventDoc[] = []
      for (let page = 0; page < 200; page += 1) {
        const after = all.at(-1)?.sequence
        const body = await v2.poll(runId, after === undefined ? {} : { afterSequence: String(after) }, options)
        const events = asArray(body.events) as RunEventDoc[]
        all.push(...events)
        if (events.length === 0 || all.some(({ type }) => terminalEvents.includes(type))) return all
      }
      return all
    },
    /** The closed envelope of an error. */
    refused(given: Answer, status: number, code: string, message: string): void {
      check.refused(given, [status], [code], message)
      const members = Object.keys(given.body).filter((name) => !['error', 'message', 'details'].includes(name))
      check.equal(members, [], `${message}: members beside the envelope`)
      check.matches(given.headers.get('openwop-version'), /^2\./, `${message}: the version of the answer`)
    },
  }
  return v2
}

export const isEnded = ({ status }: JsonObject): boolean =>
  ['completed', 'failed', 'cancelled'].includes(String(status))

/** A scenario of version 2. */
export const scenarioV2 = (
  id: string,
  facts: string,
  title: string,
  run: (check: Check, v2: V2) => Promise<void>,
  options: { readonly isAlone?: boolean } = {},
): Scenario => ({ id, facts, title, wire: 2, ...options, run: async (check) => run(check, await v2Of(check)) })
