import { scopes } from '../../core/scopes.ts'
import type { Caller } from '../caller.ts'
import { failUnlessCompleted, waitForIngest, waitForJob } from '../wait-for-job.ts'
import { type Run, runPath, waitForRun } from '../wait-for-run.ts'
import { conciergeNotes, demoRule, demoSecret, notes } from './notes.ts'
import { services, type Telling, tellings } from './people.ts'
import { runs, workflows } from './workflows.ts'

const host = '/v1/host/colophon'
const hourMs = 3_600_000
const dayMs = 24 * hourMs

type Claim = { id: string; subject: string; claimKey: string | null; contents: { memoryId: string; content: string }[] }
type Memory = { id: string; content: string }

/** What a story leaves behind that is worth a look. */
export type Played = {
  readonly people: number
  readonly tellings: number
  readonly contested: number
  readonly runs: number
  readonly waitingRun: string
  readonly replayedRun: string
  readonly replay: string
  readonly correctedMemory: string
}

/**
 * Plays the week with the calls that any program could make. Everything is told in the same order each time, so two demos
 * differ in ids and instants only. What services saw lies in the week before today.
 */
export async function playDemo(caller: Caller, now: number, onStep: (step: string) => void): Promise<Played> {
  onStep('services, keys, secrets and rules')
  await prepare(caller)
  onStep(`${tellings.length} things that services tell about people`)
  const startOfToday = now - (now % dayMs)
  await addWriters(caller)
  for (const [index, telling] of tellings.entries()) await tell(caller, telling, index, startOfToday)
  onStep('corrections and decisions')
  const correctedMemory = await correct(caller)
  await decide(caller)
  onStep('notes of the concierge, and one compaction')
  await takeNotes(caller, now)
  onStep('somebody who asks to be forgotten')
  await forgetSomebody(caller)
  onStep(`${runs.length} runs of ${workflows.length} workflows`)
  await addPager(caller)
  const played = await playRuns(caller)
  const { claims } = (await caller.call('GET', `${host}/claims?status=contested`)) as { claims: Claim[] }
  const people = new Set(tellings.map(([, , , person]) => person)).size
  return { people, tellings: tellings.length, contested: claims.length, correctedMemory, ...played }
}

async function prepare(caller: Caller): Promise<void> {
  await caller.call('PUT', `${host}/secrets/${demoSecret.id}`, { value: demoSecret.value })
  const { id, ...rule } = demoRule
  await caller.call('PUT', `${host}/rules/${id}`, rule)
  await caller.call('POST', `${host}/keys`, { name: 'dashboard', scopes: ['memory:read', 'audit:read'] })
  const importer = await caller.call('POST', `${host}/keys`, { name: 'old importer', scopes: scopes.slice(0, 2) })
  await caller.call('DELETE', `${host}/keys/${(importer as { id: string }).id}`)
  const check = { id: 'weekly-secret-check', cron: '0 4 * * 1', kind: 'colophon.re-redact', payload: { dryRun: true } }
  await caller.call('POST', `${host}/schedules`, check)
  for (const workflow of workflows) await caller.call('POST', `${host}/workflows`, workflow)
}

async function addWriters(caller: Caller): Promise<void> {
  const { data } = (await caller.call('GET', '/v1/tenant/service-writers')) as { data: { service_key: string }[] }
  for (const { key, name, priority, categories } of services) {
    if (data.some(({ service_key }) => service_key === key)) continue
    const authority_rules = { default_priority: priority, categories }
    await caller.call('POST', '/v1/tenant/service-writers', { service_key: key, display_name: name, authority_rules })
  }
}

async function tell(caller: Caller, telling: Telling, index: number, startOfToday: number): Promise<void> {
  const [day, hour, service, person, category, claimKey, content] = telling
  const observed = startOfToday - (7 - day) * dayMs + hour * hourMs
  const message = { role: 'user', content, category, confidence: 0.9, ...(claimKey ? { claim_key: claimKey } : {}) }
  const answer = await caller.call('POST', '/v1/memories/add', {
    external_user_id: person,
    infer: false,
    messages: [message],
    source: { service, event_id: `demo-${index + 1}`, observed_at: new Date(observed).toISOString() },
  })
  const job = await waitForIngest(caller, (answer as { job_id: string }).job_id)
  failUnlessCompleted(job.job_id, job.status, job.error)
}

async function memoriesOf(caller: Caller, person: string): Promise<Memory[]> {
  return ((await caller.call('GET', `/v1/memories?external_user_id=${person}`)) as { data: Memory[] }).data
}

/** A person corrects one memory, archives a second, deletes a third. */
async function correct(caller: Caller): Promise<string> {
  const change = async (person: string, text: RegExp, edit: (path: string) => Promise<unknown>) => {
    const memory = (await memoriesOf(caller, person)).find(({ content }) => text.test(content))
    if (memory) await edit(`/v1/memories/${memory.id}`)
    return memory?.id ?? ''
  }
  const corrected = await change('rosa', /Sevilla/, (path) =>
    caller.call('PATCH', path, { content: 'Rosa lives in Cádiz.', importance: 8 }),
  )
  await change('sven', /ski/, (path) => caller.call('PATCH', path, { is_archived: true }))
  await change('mateo', /Rioja/, (path) => caller.call('DELETE', path))
  return corrected
}

/** One of the ties is decided by a person; the others wait. */
async function decide(caller: Caller): Promise<void> {
  const { claims } = (await caller.call('GET', `${host}/claims?status=contested`)) as { claims: Claim[] }
  const claim = claims.find(({ subject, claimKey }) => subject === 'noor' && claimKey === 'office')
  const chosen = claim?.contents.find(({ content }) => /Munich/.test(content))
  if (!claim || !chosen) return
  const draft = { memoryId: chosen.memoryId, reason: 'Noor said so on the phone.' }
  await caller.call('POST', `${host}/claims/${claim.id}:resolve`, draft)
}

async function takeNotes(caller: Caller, now: number): Promise<void> {
  const entriesOf = (ref: string) => `${host}/memory/${encodeURIComponent(ref)}/entries`
  const entries = conciergeNotes.map((content) => ({ content, tags: ['log'] }))
  await caller.call('POST', `${entriesOf('agents/concierge')}:batch`, { entries })
  const compaction = { memoryRef: 'agents/concierge', keepNewest: 0, minAgeDays: 0 }
  const { jobId } = (await caller.call('POST', `${host}/compactions`, compaction)) as { jobId: string }
  const job = await waitForJob(caller, jobId)
  failUnlessCompleted(jobId, job.status, job.error)
  for (const { ref, content, tags, days } of notes) {
    const expiry = days === undefined ? {} : { expiresAt: new Date(now + days * dayMs).toISOString() }
    await caller.call('POST', entriesOf(ref), { content, tags, ...expiry })
  }
}

/** Nothing is left of him but a receipt, and that his request was met. */
async function forgetSomebody(caller: Caller): Promise<void> {
  const entries = [
    { content: 'Ivo missed his ferry to Split.', subject: 'ivo' },
    { content: 'Ivo wants a window seat.', subject: 'ivo' },
  ]
  await caller.call('POST', `${host}/memory/${encodeURIComponent('agents/ferries')}/entries:batch`, { entries })
  const request = { subject: 'ivo', reason: 'request 2041 of the privacy desk' }
  const { jobId } = (await caller.call('POST', `${host}/forget`, request)) as { jobId: string }
  const job = await waitForJob(caller, jobId)
  failUnlessCompleted(jobId, job.status, job.error)
}

/** Nobody is there any more: what fails is told in vain, tried again, and given up in the end. */
async function addPager(caller: Caller): Promise<void> {
  const { webhooks } = (await caller.call('GET', '/v1/webhooks')) as { webhooks: { tags: string[] }[] }
  if (webhooks.some(({ tags }) => tags.includes('demo'))) return
  const url = 'https://pager.agency.invalid/colophon'
  await caller.call('POST', '/v1/webhooks', { url, events: ['run.failed'], tags: ['demo'] })
}

async function playRuns(caller: Caller) {
  let [waitingRun, replayedRun, replay, count] = ['', '', '', 0]
  const settled = async (made: unknown) => {
    count += 1
    return waitForRun(caller, (made as Run).runId)
  }
  for (const { workflowId, inputs, outcome } of runs) {
    const { runId } = await settled(await caller.call('POST', '/v1/runs', { workflowId, inputs, tags: ['demo'] }))
    if (outcome === 'accept' || outcome === 'reject') {
      await caller.call('POST', `${runPath(runId)}/interrupts/approve`, { resumeValue: { action: outcome } })
      await waitForRun(caller, runId)
    }
    if (outcome === 'wait') waitingRun = runId
    if (outcome !== 'replay') continue
    replayedRun = runId
    replay = (await settled(await caller.call('POST', `${runPath(runId)}:fork`, { mode: 'replay' }))).runId
  }
  return { runs: count, waitingRun, replayedRun, replay }
}
