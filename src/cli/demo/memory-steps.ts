import type { Client } from '../../client/index.ts'
import { scopes } from '../../core/access/scopes.ts'
import { failUnlessCompleted, waitForJob } from '../job-outcome.ts'
import { conciergeNotes, demoRule, demoSecret, notes } from './notes.ts'
import { type DemoStatement, services } from './statements.ts'
import { workflows } from './workflows.ts'

const dayMs = 24 * 3_600_000

export async function prepareTenant(client: Client): Promise<void> {
  await client.secrets.put(demoSecret.id, { value: demoSecret.value })
  const { id, ...rule } = demoRule
  await client.rules.put(id, rule)
  await client.keys.create({ name: 'dashboard', scopes: ['memory:read', 'audit:read'] })
  const check = { id: 'weekly-secret-check', cron: '0 4 * * 1', kind: 'colophon.re-redact', payload: { dryRun: true } }
  await client.schedules.put(check)
  for (const workflow of workflows) await client.workflows.put(workflow)
  await client.agents.put(concierge)
  await addWriters(client)
  await addPager(client)
}

/** This server has no tool for calendars, so the agent is shown with what it lacks. */
const concierge = {
  agentId: 'local.demo.concierge',
  label: 'Concierge',
  persona: 'Knows the guests of the agency.',
  modelClass: 'general',
  systemPrompt: 'Answer from what is stored about the guest.',
  memoryShape: { longTerm: true },
  requiresCapabilities: ['calendar'],
} as const

async function addWriters(client: Client): Promise<void> {
  const { data } = await client.writers.list()
  for (const { key, name, priority, categories } of services) {
    if (data.some(({ service_key }) => service_key === key)) continue
    const authority_rules = { default_priority: priority, categories }
    await client.writers.create({ service_key: key, display_name: name, authority_rules })
  }
}

/** A webhook whose host does not exist: its deliveries fail, are retried, and become dead letters. */
async function addPager(client: Client): Promise<void> {
  const { webhooks } = await client.webhooks.list()
  if (webhooks.some(({ tags }) => tags.includes('demo'))) return
  const url = 'https://pager.agency.invalid/colophon'
  await client.webhooks.create({ url, events: ['run.failed'], tags: ['demo'] })
}

/** A key that was needed once. */
export async function revokeImporter(client: Client): Promise<void> {
  const importer = await client.keys.create({ name: 'old importer', scopes: scopes.slice(0, 2) })
  await client.keys.revoke(importer.id)
}

/** One statement of a service. The event id follows from its place in the list, so a second demo repeats no event. */
export async function ingest(client: Client, statement: DemoStatement, index: number, at: number): Promise<void> {
  const [, , service, person, category, claimKey, content] = statement
  const { job_id } = await client.memories.add({
    external_user_id: person,
    infer: false,
    messages: [{ role: 'user', content, category, confidence: 0.9, claim_key: claimKey ?? undefined }],
    source: { service, event_id: `demo-${index + 1}`, observed_at: new Date(at).toISOString() },
  })
  failUnlessCompleted(job_id, await client.memories.wait(job_id))
}

/** Corrects one memory, archives another, and deletes a third. */
export async function changeMemories(client: Client): Promise<string> {
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
export async function pinWinner(client: Client): Promise<void> {
  const { claims } = await client.claims.list({ status: 'contested' })
  const claim = claims.find(({ subject, claimKey }) => subject === 'noor' && claimKey === 'office')
  const chosen = claim?.contents.find(({ content }) => /Munich/.test(content))
  if (!claim || !chosen?.memoryId) return
  await client.claims.resolve(claim.id, { memoryId: chosen.memoryId, reason: 'Noor said so on the phone.' })
}

/** Expiry is relative to the end of the week, so that offers are about to expire when the console is opened. */
export async function takeNotes(client: Client, memoryRef: string, now: number): Promise<void> {
  for (const { ref, content, tags, days } of notes.filter((note) => note.ref === memoryRef)) {
    const expiresAt = days === undefined ? undefined : new Date(now + days * dayMs).toISOString()
    await client.memory.put(ref, { content, tags: [...tags], expiresAt })
  }
}

const conciergeRef = 'agents/concierge'

export async function writeConciergeLog(client: Client): Promise<void> {
  await client.memory.putMany(
    conciergeRef,
    conciergeNotes.map((content) => ({ content, tags: ['log'] })),
  )
}

export async function compactConciergeLog(client: Client): Promise<void> {
  const { jobId } = await client.compactions.request({ memoryRef: conciergeRef, keepNewest: 0, minAgeDays: 0 })
  failUnlessCompleted(jobId, await waitForJob(client, jobId))
}

/** A text of a web page: stored, and left out of every answer until a person releases it. */
export async function quarantine(client: Client): Promise<void> {
  const content = 'According to a travel forum, the night ferry to Split is cancelled in May.'
  await client.memory.put(conciergeRef, { content, tags: ['web'], trust: 'untrusted' })
}

export async function writeFerryNotes(client: Client): Promise<void> {
  await client.memory.putMany('agents/ferries', [
    { content: 'Ivo missed his ferry to Split.', subject: 'ivo' },
    { content: 'Ivo wants a window seat.', subject: 'ivo' },
  ])
}

/** One reminder that is due after the demo, and one that waits for a payment. */
export async function makeCommitments(client: Client): Promise<void> {
  await client.memory.putMany('agents/reminders', [
    { content: 'Remind me in two weeks to confirm the ferry of Noor.' },
    { content: 'When the invoice of the hotel in Porto is paid, notify Ana.' },
  ])
}

/** Erases a person. Only the receipt is left. */
export async function erasePerson(client: Client): Promise<void> {
  const { jobId } = await client.forget.request({ subject: 'ivo', reason: 'request 2041 of the privacy desk' })
  failUnlessCompleted(jobId, await waitForJob(client, jobId))
}
