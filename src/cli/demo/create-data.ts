import type { Client } from '../../client/index.ts'
import { scopes } from '../../core/access/scopes.ts'
import { failUnlessCompleted, waitForJob } from '../job-outcome.ts'
import { waitForRun } from '../run-outcome.ts'
import { conciergeNotes, demoRule, demoSecret, notes } from './notes.ts'
import { type DemoStatement, services, statements } from './statements.ts'
import { runs, workflows } from './workflows.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** What the demo stored. `tellings` is the number of statements of services. */
export type DemoResult = {
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
 * Stores the sample data with the public calls of the client. The order is always the same, so two demos differ only in
 * ids and instants. The events of services are dated in the week before today.
 */
export async function createDemoData(client: Client, now: number, onStep: (step: string) => void): Promise<DemoResult> {
  onStep('services, keys, secrets and rules')
  await prepare(client)
  onStep(`${statements.length} statements of services about people`)
  const startOfToday = now - (now % dayMs)
  await addWriters(client)
  for (const [index, statement] of statements.entries()) await ingest(client, statement, index, startOfToday)
  onStep('corrections and decisions')
  const correctedMemory = await correct(client)
  await decide(client)
  onStep('notes of the concierge, and one compaction')
  await takeNotes(client, now)
  await quarantine(client)
  onStep('an erasure request')
  await erasePerson(client)
  onStep(`${runs.length} runs of ${workflows.length} workflows`)
  await addPager(client)
  const played = await playRuns(client)
  const { claims } = await client.claims.list({ status: 'contested' })
  const people = new Set(statements.map(([, , , person]) => person)).size
  return { people, tellings: statements.length, contested: claims.length, correctedMemory, ...played }
}

async function prepare(client: Client): Promise<void> {
  await client.secrets.put(demoSecret.id, { value: demoSecret.value })
  const { id, ...rule } = demoRule
  await client.rules.put(id, rule)
  await client.keys.create({ name: 'dashboard', scopes: ['memory:read', 'audit:read'] })
  const importer = await client.keys.create({ name: 'old importer', scopes: scopes.slice(0, 2) })
  await client.keys.revoke(importer.id)
  const check = { id: 'weekly-secret-check', cron: '0 4 * * 1', kind: 'colophon.re-redact', payload: { dryRun: true } }
  await client.schedules.put(check)
  for (const workflow of workflows) await client.workflows.put(workflow)
}

async function addWriters(client: Client): Promise<void> {
  const { data } = await client.writers.list()
  for (const { key, name, priority, categories } of services) {
    if (data.some(({ service_key }) => service_key === key)) continue
    const authority_rules = { default_priority: priority, categories }
    await client.writers.create({ service_key: key, display_name: name, authority_rules })
  }
}

async function ingest(client: Client, statement: DemoStatement, index: number, startOfToday: number): Promise<void> {
  const [day, hour, service, person, category, claimKey, content] = statement
  const observed = startOfToday - (7 - day) * dayMs + hour * hourMs
  const { job_id } = await client.memories.add({
    external_user_id: person,
    infer: false,
    messages: [{ role: 'user', content, category, confidence: 0.9, claim_key: claimKey ?? undefined }],
    source: { service, event_id: `demo-${index + 1}`, observed_at: new Date(observed).toISOString() },
  })
  failUnlessCompleted(job_id, await client.memories.wait(job_id))
}

/** Corrects one memory, archives another, and deletes a third. */
async function correct(client: Client): Promise<string> {
  const change = async (person: string, text: RegExp, edit: (id: string) => Promise<{ readonly id: string }>) => {
    const { data } = await client.memories.list({ external_user_id: person })
    const memory = data.find(({ content }) => text.test(content))
    return memory ? edit(memory.id) : null
  }
  const corrected = await change('rosa', /Sevilla/, (id) =>
    client.memories.patch(id, { content: 'Rosa lives in Cádiz.', importance: 8, reason: 'Rosa said so at the desk.' }),
  )
  await change('sven', /ski/, (id) => client.memories.patch(id, { is_archived: true }))
  await change('mateo', /Rioja/, (id) => client.memories.delete(id))
  return corrected?.id ?? ''
}

/** Pins the winner of one contested claim. The others stay contested. */
async function decide(client: Client): Promise<void> {
  const { claims } = await client.claims.list({ status: 'contested' })
  const claim = claims.find(({ subject, claimKey }) => subject === 'noor' && claimKey === 'office')
  const chosen = claim?.contents.find(({ content }) => /Munich/.test(content))
  if (!claim || !chosen?.memoryId) return
  await client.claims.resolve(claim.id, { memoryId: chosen.memoryId, reason: 'Noor said so on the phone.' })
}

async function takeNotes(client: Client, now: number): Promise<void> {
  const memoryRef = 'agents/concierge'
  const entries = conciergeNotes.map((content) => ({ content, tags: ['log'] }))
  await client.memory.putMany(memoryRef, entries)
  const { jobId } = await client.compactions.request({ memoryRef, keepNewest: 0, minAgeDays: 0 })
  failUnlessCompleted(jobId, await waitForJob(client, jobId))
  for (const { ref, content, tags, days } of notes) {
    const expiresAt = days === undefined ? undefined : new Date(now + days * dayMs).toISOString()
    await client.memory.put(ref, { content, tags: [...tags], expiresAt })
  }
}

/** A text of a web page: stored, and left out of every answer until a person releases it. */
async function quarantine(client: Client): Promise<void> {
  const content = 'According to a travel forum, the night ferry to Split is cancelled in May.'
  await client.memory.put('agents/concierge', { content, tags: ['web'], trust: 'untrusted' })
}

/** Erases a person. Only the receipt is left. */
async function erasePerson(client: Client): Promise<void> {
  const entries = [
    { content: 'Ivo missed his ferry to Split.', subject: 'ivo' },
    { content: 'Ivo wants a window seat.', subject: 'ivo' },
  ]
  await client.memory.putMany('agents/ferries', entries)
  const { jobId } = await client.forget.request({ subject: 'ivo', reason: 'request 2041 of the privacy desk' })
  failUnlessCompleted(jobId, await waitForJob(client, jobId))
}

/** A webhook whose host does not exist: its deliveries fail, are retried, and become dead letters. */
async function addPager(client: Client): Promise<void> {
  const { webhooks } = await client.webhooks.list()
  if (webhooks.some(({ tags }) => tags.includes('demo'))) return
  const url = 'https://pager.agency.invalid/colophon'
  await client.webhooks.create({ url, events: ['run.failed'], tags: ['demo'] })
}

async function playRuns(client: Client) {
  let [waitingRun, replayedRun, replay, count] = ['', '', '', 0]
  const settled = async ({ runId }: { runId: string }) => {
    count += 1
    return waitForRun(client, runId)
  }
  for (const { workflowId, inputs, outcome } of runs) {
    const { runId } = await settled(await client.runs.create({ workflowId, inputs, tags: ['demo'] }))
    if (outcome === 'accept' || outcome === 'reject') {
      await client.interrupts.answer(runId, 'approve', { action: outcome })
      await waitForRun(client, runId)
    }
    if (outcome === 'wait') waitingRun = runId
    if (outcome !== 'replay') continue
    replayedRun = runId
    replay = (await settled(await client.runs.fork(runId, { mode: 'replay' }))).runId
    await settled(await client.runs.fork(runId, { mode: 'branch', fromSeq: 1 }))
  }
  return { runs: count, waitingRun, replayedRun, replay }
}
