import type { Caller } from './caller.ts'
import type { Ledger } from './ledger.ts'
import { sendMalformed } from './malformed.ts'
import { memoryJobDoers } from './memory-jobs.ts'
import type { Operation, SourceEvent } from './plan.ts'
import type { Random } from './random.ts'
import { count, note } from './tally.ts'
import { type Answer, type Call, entriesPath, type Target } from './wire.ts'
import { runRef, scheduleId, service } from './workflows.ts'

/** One client: it runs one operation after the other, and records in the ledger what was acknowledged. */
export type ClientParts = {
  readonly name: string
  readonly caller: Caller
  readonly ledger: Ledger
  readonly pick: (random: Random) => Target | null
  readonly random: Random
}

type Doer = (operation: never, key: string) => Promise<boolean>

const host = '/v1/host/colophon'

export function createClient({ name, caller, ledger, pick, random }: ClientParts) {
  const { tally } = caller
  // What this client created. It changes nothing of other clients, so each step has one author.
  const own = { entries: [] as string[], sourceEvents: [] as SourceEvent[], runs: [] as string[] }
  let number = 0

  /** The response, if it has the expected status. */
  async function expect(call: Call, status: number): Promise<Answer | null> {
    const answer = await caller.callUntilAnswered(call)
    if (answer === null || answer.status === status) return answer
    note(
      tally,
      'every call is answered',
      `${call.method} ${call.path}: ${answer.status} ${JSON.stringify(answer.body)}`,
    )
    return null
  }
  const chosen = <T>(list: readonly T[], choice: number): T | undefined => list[choice % list.length]

  function keep(ref: string, made: readonly { id: string }[], contents: readonly string[]): void {
    for (const [index, { id }] of made.entries()) {
      if (ledger.entries.has(id)) note(tally, 'nothing is done twice', `the id ${id} was given to two writes`)
      ledger.entries.set(id, { ref, content: contents[index] ?? '', isDeleted: false })
      own.entries.push(id)
    }
  }

  async function ingest(event: SourceEvent, isAgain: boolean): Promise<boolean> {
    const { user, eventId, content, claimKey, observedAt } = event
    const message = { role: 'user', content, ...(claimKey === null ? {} : { claim_key: claimKey }) }
    const source = { service, event_id: eventId, observed_at: observedAt }
    const body = { external_user_id: user, infer: false, messages: [message], source }
    const answer = await expect({ method: 'POST', path: '/v1/memories/add', body }, 202)
    if (!answer) return false
    const jobId = answer.body.job_id as string
    if (!isAgain) own.sourceEvents.push(event)
    const known = ledger.sourceEvents.get(eventId)
    if (known && known.jobId !== jobId) note(tally, 'nothing is done twice', `${eventId} got a second job`)
    ledger.sourceEvents.set(eventId, { ...event, jobId })
    return true
  }

  const doers = {
    async put({ ref, content }: Operation & { kind: 'put' }, idempotencyKey: string) {
      const answer = await expect({ method: 'POST', path: entriesPath(ref), body: { content }, idempotencyKey }, 201)
      if (answer) keep(ref, [answer.body], [content])
      return answer !== null
    },
    async batch({ ref, contents }: Operation & { kind: 'batch' }, idempotencyKey: string) {
      const body = { entries: contents.map((content) => ({ content })) }
      const answer = await expect({ method: 'POST', path: `${entriesPath(ref)}:batch`, body, idempotencyKey }, 201)
      if (answer) keep(ref, answer.body.entries, contents)
      return answer !== null
    },
    async delete({ choice }: { choice: number }, idempotencyKey: string) {
      const id = chosen(own.entries, choice)
      const entry = ledger.entries.get(id ?? '')
      if (!id || !entry || entry.isDeleted) return false
      const answer = await expect({ method: 'DELETE', path: `${entriesPath(entry.ref)}/${id}`, idempotencyKey }, 200)
      if (answer && answer.body.deleted !== true)
        note(tally, 'nothing acknowledged is lost', `${id} was missing before it was deleted`)
      if (answer) entry.isDeleted = true
      return answer !== null
    },
    /** What was acknowledged can be read at once, from every server. */
    async read({ choice }: { choice: number }) {
      const id = chosen(own.entries, choice)
      const entry = ledger.entries.get(id ?? '')
      if (!id || !entry) return false
      const answer = await caller.callUntilAnswered({ method: 'GET', path: `${entriesPath(entry.ref)}/${id}` })
      if (answer === null) return false
      const isRight = entry.isDeleted ? answer.status === 404 : answer.body.content === entry.content
      if (!isRight) note(tally, 'what was acknowledged is read at once', `${id}: ${answer.status}`)
      return true
    },
    list: async ({ ref }: { ref: string }) =>
      (await expect({ method: 'GET', path: `${entriesPath(ref)}?limit=50` }, 200)) !== null,
    async search({ ref }: { ref: string }) {
      const path = `${host}/memory/${encodeURIComponent(ref)}/search`
      return (await expect({ method: 'POST', path, body: { query: 'the green harbour', limit: 5 } }, 200)) !== null
    },
    ingest: ({ event }: { event: SourceEvent }) => ingest(event, false),
    async 'ingest-again'({ choice }: { choice: number }) {
      const event = chosen(own.sourceEvents, choice)
      return event !== undefined && ingest(event, true)
    },
    /** A memory is stored a while after its event was accepted, so it might not exist yet. */
    async edit({ choice, content }: { choice: number; content: string }, idempotencyKey: string) {
      const event = chosen(
        own.sourceEvents.filter(({ claimKey }) => claimKey === null),
        choice,
      )
      if (!event) return false
      const path = `/v1/memories?external_user_id=${event.user}&limit=50`
      const page = await expect({ method: 'GET', path }, 200)
      const memory = page?.body.data.find((found: { content: string }) => found.content === event.content)
      if (!memory) return false
      const call = { method: 'PATCH', path: `/v1/memories/${memory.id}`, body: { content }, idempotencyKey }
      const answer = await expect(call, 200)
      if (answer) ledger.edited.set(memory.id, { user: event.user, contents: [event.content, content] })
      return answer !== null
    },
    async run({ name: run }: { name: string }, idempotencyKey: string) {
      // Clients begin with different ones: in a short load each has few runs.
      const turn = Number.parseInt(run, 10) + own.runs.length
      const workflow = ['note', 'asks', 'leads', 'agent'][turn % 4] ?? 'note'
      const body = { workflowId: workflow, inputs: { name: run } }
      const answer = await expect({ method: 'POST', path: '/v1/runs', body, idempotencyKey }, 201)
      if (!answer) return false
      const runId = answer.body.runId as string
      if (ledger.runs.has(runId)) note(tally, 'nothing is done twice', `the run ${runId} was given to two calls`)
      ledger.runs.set(runId, { name: run, workflow })
      own.runs.push(runId)
      return true
    },
    async answer({ choice }: { choice: number }) {
      const runId = chosen(own.runs, choice)
      if (!runId) return false
      const run = await expect({ method: 'GET', path: `/v1/runs/${runId}` }, 200)
      if (run?.body.status !== 'waiting-approval') return false
      return answerGate(caller, runId)
    },
    async schedule(_: object, idempotencyKey: string) {
      const path = `${host}/schedules/${scheduleId}:run`
      const answer = await expect({ method: 'POST', path, idempotencyKey }, 202)
      if (answer) ledger.scheduleJobs.push(answer.body.jobId)
      return answer !== null
    },
    ...memoryJobDoers(expect, ledger),
    async forget({ ref, content }: Operation & { kind: 'forget' }, idempotencyKey: string) {
      const made = await expect({ method: 'POST', path: entriesPath(ref), body: { content }, idempotencyKey }, 201)
      if (!made) return false
      const body = { memoryRef: ref, reason: 'on request' }
      const path = `${host}/forget`
      const answer = await expect({ method: 'POST', path, body, idempotencyKey: `${idempotencyKey}-forget` }, 202)
      if (answer) ledger.forgotten.set(answer.body.id, ref)
      return answer !== null
    },
    async malformed({ choice }: { choice: number }) {
      const target = pick(random)
      return target !== null && sendMalformed(target, choice, entriesPath(runRef), tally)
    },
  } satisfies Record<Operation['kind'], Doer>

  return {
    async perform(operation: Operation): Promise<void> {
      const perform = doers[operation.kind] as Doer
      // The same for all attempts: that is what makes them one call.
      const isDone = await perform(operation as never, `${name}-${number++}`)
      if (!isDone) return count(tally.skipped, operation.kind)
      count(tally.operations, operation.kind)
      tally.succeeded += 1
    },
  }
}

/** True when the reply was accepted, by this attempt or by one whose response was lost. */
export async function answerGate(caller: Caller, runId: string): Promise<boolean> {
  const body = { resumeValue: { action: 'accept' } }
  const answer = await caller.callUntilAnswered({ method: 'POST', path: `/v1/runs/${runId}/interrupts/gate`, body })
  if (answer === null || answer.status === 200 || answer.body?.error === 'interrupt_already_resolved') return true
  note(caller.tally, 'every call is answered', `the gate of ${runId}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return false
}
