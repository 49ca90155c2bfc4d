// What a scenario is, and what it works with. The parts are in http.ts, sse.ts, outcome.ts and published.ts.
import { type Answer, type HttpOptions, sendRequest } from './http.ts'
import { AssertionFailure, Blocked, CameTooLate, describe, Inapplicable, sameValue } from './outcome.ts'
import type { Published, SchemaName } from './published.ts'
import { readStream, type SseOptions, type SseResult } from './sse.ts'

export type { Answer, HttpOptions } from './http.ts'
export type { Outcome } from './outcome.ts'
export type { SseFrame, SseOptions, SseResult } from './sse.ts'

export type JsonObject = Record<string, unknown>

/** The host under test and what its operator prepared for the suite. Everything but url and key may be missing. */
export type Target = {
  readonly url: string
  readonly key: string
  /** A key of another tenant. */
  readonly keyB: string | null
  /** A valid key that lacks runs:create. */
  readonly lowScopeKey: string | null
  readonly revokedKey: string | null
  /** A run whose events are past the retention window. */
  readonly expiredRunId: string | null
  /** An agent whose memory needs cannot be met by the host. */
  readonly degradedAgentId: string | null
  /** The host can reach 127.0.0.1 of this process and accepts such a webhook. */
  readonly webhookReceiver: boolean
  /** Restarts the host, and returns its address. */
  readonly restart?: () => Promise<string>
}

const notInTime = 'what had to be seen in time was not, several times in a row'

export type Scenario = {
  readonly id: string
  /** Where the fact comes from, such as 'core 26.4' or 'memory 16.7'. */
  readonly facts: string
  readonly title: string
  /** It depends on a clock, or loads the host: it runs alone. */
  readonly isAlone?: boolean
  /** The version of the wire that it is about; 1 if absent. */
  readonly wire?: 2
  readonly run: (check: Check) => Promise<void>
}

export type RunEventDoc = {
  readonly eventId: string
  readonly runId: string
  readonly type: string
  readonly payload: unknown
  readonly timestamp: string
  readonly sequence: number
  readonly nodeId?: string
  readonly causationId?: string
  readonly agentId?: string
}

export type Snapshot = JsonObject & { readonly runId: string; readonly workflowId: string; readonly status: string }

export type Check = ReturnType<typeof createCheck>

const terminalStatuses = new Set(['completed', 'failed', 'cancelled'])
const pollEveryMs = 100

const isTerminal = (snapshot: JsonObject): boolean => terminalStatuses.has(String(snapshot.status))

/** The value at a path of property names and indexes, or undefined where the path ends early. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value
  for (const step of path) {
    if (here === null || typeof here !== 'object') return undefined
    here = (here as Record<string | number, unknown>)[step]
  }
  return here
}

export const isObject = (value: unknown): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Waits until an instant has passed for the host as well, whose clock may be a little behind. */
export const pauseUntilAfter = (instant: string): Promise<void> =>
  pause(Math.max(0, Date.parse(instant) - Date.now()) + 50)

export type CheckParts = {
  readonly target: Target
  readonly discovery: JsonObject
  readonly published: Published
  /** How long to wait for what a host does soon: long enough that only a host that never does it runs into it. */
  readonly patienceMs: number
}

/** A new Check for one scenario; `asserted` has what was asserted, in words, one for each assertion. */
export function createCheck({ target, discovery, published, patienceMs }: CheckParts) {
  const asserted: string[] = []

  function ok(condition: unknown, message: string, failure = message): void {
    asserted.push(message)
    if (!condition) throw new AssertionFailure(failure)
  }

  const check = {
    target,
    patienceMs,
    /** The discovery document, fetched once and without credentials. */
    discovery,
    asserted: asserted as readonly string[],

    ok: (condition: unknown, message: string): void => ok(condition, message),
    equal(actual: unknown, expected: unknown, message: string): void {
      const failure = `${message}: expected ${describe(expected)}, got ${describe(actual)}`
      ok(sameValue(actual, expected), message, failure)
    },
    oneOf(actual: unknown, allowed: readonly unknown[], message: string): void {
      const failure = `${message}: expected one of ${describe(allowed)}, got ${describe(actual)}`
      ok(allowed.includes(actual), message, failure)
    },
    matches(actual: unknown, pattern: RegExp, message: string): void {
      const failure = `${message}: ${describe(actual)} does not match ${pattern}`
      ok(typeof actual === 'string' && pattern.test(actual), message, failure)
    },
    /** The text must not hold the value. The message never repeats the value. */
    absent(text: string, value: string, message: string): void {
      ok(!text.includes(value), message)
    },
    /** The answer's status, and for a refusal also its code and the flat error envelope. */
    refused(answer: Answer, statuses: readonly number[], codes: readonly string[] | null, message: string): void {
      check.oneOf(answer.status, statuses, `${message}: status`)
      check.ok(isObject(answer.json), `${message}: the body is a JSON object`)
      check.ok(typeof answer.body.error === 'string' && answer.body.error !== '', `${message}: error is a code`)
      check.ok(typeof answer.body.message === 'string' && answer.body.message !== '', `${message}: message is a text`)
      if (codes !== null) check.oneOf(answer.body.error, codes, `${message}: code`)
      check.published('error-envelope', answer.json, message)
    },
    /** Also validates against the published schema, where those schemas are at hand; silent otherwise. */
    published(schema: SchemaName, value: unknown, message: string): void {
      const faults = published.faults(schema, value)
      if (faults !== null) ok(faults.length === 0, message, `${message}: not a valid ${schema}: ${faults.join('; ')}`)
    },
    publishedEvent(event: RunEventDoc): void {
      check.published('run-event', event, `event ${event.sequence}`)
      const faults = published.payloadFaults(event.type, event.payload)
      const message = `payload of ${event.type}`
      if (faults !== null) ok(faults.length === 0, message, `${message}: ${faults.join('; ')}`)
    },

    inapplicable(reason: string): never {
      throw new Inapplicable(reason)
    },
    blocked(reason: string): never {
      throw new Blocked(reason)
    },
    /** What had to be seen in time was not: the scenario begins anew. */
    tooLate(): never {
      throw new CameTooLate(notInTime)
    },
    /**
     * Work that only means something while an instant is still ahead: an entry lives, a node waits. When the instant has
     * passed, neither what it saw nor its failure counts, and the scenario begins anew.
     */
    async before<T>(instant: string | number, work: () => Promise<T>): Promise<T> {
      const deadline = typeof instant === 'number' ? instant : Date.parse(instant)
      const late = (): boolean => Date.now() >= deadline
      const tooLate = () => new CameTooLate(notInTime)
      const result = await work().catch((error: unknown) => {
        throw late() ? tooLate() : error
      })
      if (late()) throw tooLate()
      return result
    },
    /** Ends the scenario as blocked when the host did not seed this workflow. */
    needsFixture(id: string): void {
      if (!asArray(discovery.fixtures).includes(id)) throw new Blocked(`fixture ${id} is not in the root fixtures`)
    },
    hasFixture: (id: string): boolean => asArray(discovery.fixtures).includes(id),
    /** A capability family, which is a property of the document's root. */
    family(name: string): JsonObject | undefined {
      const value = discovery[name]
      return isObject(value) ? value : undefined
    },
    /** Ends the scenario as inapplicable unless the family is there with supported: true. */
    needsFamily(name: string): JsonObject {
      const value = check.family(name)
      if (value?.supported !== true) throw new Inapplicable(`${name}.supported is not advertised`)
      return value
    },

    http: (method: string, path: string, options: HttpOptions = {}): Promise<Answer> =>
      sendRequest(target, method, path, options),
    sse: (path: string, options: SseOptions = {}): Promise<SseResult> =>
      readStream(target, path, { untilMs: patienceMs, ...options }),

    async createRun(body: JsonObject, options: HttpOptions = {}): Promise<string> {
      const answer = await check.http('POST', '/v1/runs', { ...options, body })
      check.equal(
        answer.status,
        201,
        `POST /v1/runs for ${String(body.workflowId)} answers (${answer.text.slice(0, 200)})`,
      )
      check.ok(typeof answer.body.runId === 'string' && answer.body.runId !== '', 'the created run has a runId')
      return String(answer.body.runId)
    },
    async snapshot(runId: string, options: HttpOptions = {}): Promise<Snapshot> {
      const answer = await check.http('GET', `/v1/runs/${runId}`, options)
      check.equal(answer.status, 200, `GET /v1/runs/${runId}`)
      return answer.body as Snapshot
    },
    /** Polls the run until it is done (by default: terminal); a brief 404 after the create is tolerated. */
    async waitFor(
      runId: string,
      isDone: (snapshot: Snapshot) => boolean = isTerminal,
      options: HttpOptions = {},
    ): Promise<Snapshot> {
      const deadline = Date.now() + patienceMs
      let last = 'nothing'
      while (Date.now() < deadline) {
        const answer = await check.http('GET', `/v1/runs/${runId}`, options)
        last = answer.status === 200 ? `status ${describe(answer.body.status)}` : `HTTP ${answer.status}`
        if (answer.status === 200 && isDone(answer.body as Snapshot)) return answer.body as Snapshot
        // A terminal status is final, so there is nothing more to wait for.
        if (answer.status === 200 && isTerminal(answer.body)) break
        await pause(pollEveryMs)
      }
      throw new AssertionFailure(`run ${runId} did not get there; last seen: ${last}`)
    },
    /** The whole log, page by page, through the polling route, which every v1 host has as JSON. */
    async events(runId: string, options: HttpOptions = {}): Promise<RunEventDoc[]> {
      const all: RunEventDoc[] = []
      for (let page = 0; page < 200; page += 1) {
        const after = all.at(-1)?.sequence
        const query = after === undefined ? {} : { lastSequence: String(after) }
        const body = await check.poll(runId, query, options)
        const events = asArray(body.events) as RunEventDoc[]
        all.push(...events)
        if (events.length === 0 || body.isComplete === true) return all
      }
      return all
    },
    async poll(runId: string, query: Record<string, string> = {}, options: HttpOptions = {}): Promise<JsonObject> {
      const search = new URLSearchParams({ timeout: '1', ...query })
      const answer = await check.http('GET', `/v1/runs/${runId}/events/poll?${search}`, options)
      check.equal(answer.status, 200, `GET /v1/runs/${runId}/events/poll?${search}`)
      return answer.body
    },
  }
  return check
}
