import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { eventually } from '../support/child.ts'
import type { Call } from '../support/server.ts'
import { memoriesOf } from './memories-calls.ts'
import { chain, gate, host, noop, register, startWaiting } from './runs-calls.ts'

/** One of each thing that has an id, by the part of the path in front of it. */
export type Things = Readonly<Record<ThingName, string>>

const thingNames = [
  'memory/{ref}',
  'entries/{id}',
  'keys/{id}',
  'secrets/{id}',
  'rules/{id}',
  'tenants/{id}',
  'jobs/{id}',
  'schedules/{id}',
  'workflows/{workflowId}',
  'runs/{runId}',
  'artifacts/{artifactId}',
  'interrupts/{nodeId}',
  'interrupts/{token}',
  'webhooks/{webhookId}',
  'memories/{id}',
  'writers/{id}',
  'service-writers/{id}',
  'source-events/{id}',
  'claims/{id}',
  'quarantine/{id}',
  'compactions/{id}',
  'distillations/{id}',
  'commitments/{id}',
  'heartbeats/{id}',
  'forget/{id}',
  'containments/{id}',
  'agents/{agentId}',
  'agents/{id}',
  'files/{path}',
  'tile/{path}',
] as const
type ThingName = (typeof thingNames)[number]

export type Furnished = {
  readonly things: Things
  /** Is part of everything stored: a caller that reads it has read this tenant. */
  readonly canary: string
  readonly subject: string
  readonly service: string
}

/** A tenant with one of each thing; `tenantId` is one that may be disabled. */
export async function furnish(tenantId: string, call: Call): Promise<Furnished> {
  const canary = `canary${randomBytes(8).toString('hex')}`
  const named = (what: string) => `${what}-${canary}`
  const [ref, subject, service] = [named('ref'), named('subject'), named('service')]
  const made = async (method: string, path: string, body?: unknown) => {
    const answer = await call(method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
    return answer.body
  }
  const put = (content: string) => made('POST', `${host}/memory/${ref}/entries`, { content })
  // The first use of the signing key is recorded: later reads of the log change nothing.
  await made('GET', `${host}/log/keys`)
  await put(`first ${canary}`)
  await put(`second ${canary}`)
  const compaction = await made('POST', `${host}/compactions`, { memoryRef: ref })
  await eventually('the compaction is done', async () => {
    const { status } = (await call('GET', `${host}/compactions/${compaction.id}`)).body
    return status === 'completed'
  })
  const distillation = await made('POST', `${host}/distillations`, { memoryRef: ref })
  await eventually('the distillation is done', async () => {
    const { status } = (await call('GET', `${host}/distillations/${distillation.id}`)).body
    return status === 'completed'
  })
  await made('PUT', `/v1/host/workspace/files/notes%2F${canary}.md`, { content: canary })
  const forget = await made('POST', `${host}/forget`, { tag: 'nobody-has-it', reason: canary })
  const containment = await made('POST', `${host}/containments`, { agent: named('nobody') })
  const entry = await put(`content ${canary}`)
  const at = new Date(Date.now() + 3_600_000).toISOString()
  const commitment = await made('POST', `${host}/commitments`, { memoryRef: ref, intention: canary, at })
  const heartbeat = await made('POST', `${host}/heartbeats`, {
    predicate: 'count',
    memoryRef: ref,
    intervalSec: 86_400,
  })
  await made('PUT', `${host}/secrets/${named('secret')}`, { value: `value-${randomBytes(8).toString('hex')}` })
  await made('PUT', `${host}/rules/${named('rule')}`, { pattern: `pattern-${canary}` })
  const key = await made('POST', `${host}/keys`, { name: canary, scopes: ['keys:manage'] })
  const schedule = named('schedule')
  await made('POST', `${host}/schedules`, { id: schedule, cron: '0 4 * * 1', kind: 'colophon.re-redact' })
  const workflow = named('workflow')
  await register(call, chain(workflow, [gate('gate'), noop('last')]))
  const runId = await startWaiting(call, workflow)
  const token = (await made('GET', `/v1/runs/${runId}`)).interrupt.interruptToken as string
  const webhook = await made('POST', '/v1/webhooks', { url: `https://${canary}.example.com/`, events: ['*'] })
  const agent = `local.team.${canary}`
  await made('POST', `${host}/agents`, { agentId: agent, persona: 'It', modelClass: 'general', systemPrompt: 'Be.' })
  const memories = memoriesOf(call)
  const writer = await memories.writer(service)
  const added = await memories.ingest(subject, `ingested ${canary}`, { service })
  const claim = (await memories.claim(subject)) as { id: string }
  const source = (await made('GET', '/v1/tenant/source-events')).data[0].id as string
  const memory = (await memories.winner(subject)).id as string
  const things: Things = {
    'memory/{ref}': ref,
    'tile/{path}': '0/000.p/1',
    'entries/{id}': entry.id,
    'keys/{id}': key.id,
    'secrets/{id}': named('secret'),
    'rules/{id}': named('rule'),
    'tenants/{id}': tenantId,
    'jobs/{id}': added.job_id,
    'schedules/{id}': schedule,
    'workflows/{workflowId}': workflow,
    'runs/{runId}': runId,
    'artifacts/{artifactId}': named('artifact'),
    'interrupts/{nodeId}': 'gate',
    'interrupts/{token}': token,
    'webhooks/{webhookId}': webhook.webhookId,
    'memories/{id}': memory,
    'writers/{id}': writer.id,
    'service-writers/{id}': writer.id,
    'source-events/{id}': source,
    'claims/{id}': claim.id,
    // Not in quarantine, so that no call decides about it.
    'quarantine/{id}': entry.id,
    'compactions/{id}': compaction.id,
    'distillations/{id}': distillation.id,
    'commitments/{id}': commitment.id,
    'heartbeats/{id}': heartbeat.id,
    'forget/{id}': forget.id,
    'containments/{id}': containment.id,
    'agents/{agentId}': agent,
    'agents/{id}': agent,
    'files/{path}': `notes/${canary}.md`,
  }
  return { things, canary, subject, service }
}

/** The same kinds of ids for things that do not exist: each as well-formed as the real one. */
export function unknownLike({ things, canary, subject, service }: Furnished): Furnished {
  const digits = (text: string) => text.replaceAll(/[0-9a-f]/g, () => randomBytes(1).toString('hex').slice(0, 1))
  const other = `canary${randomBytes(8).toString('hex')}`
  const change = (text: string): string => {
    if (text.includes(canary)) return text.replaceAll(canary, other)
    const isUuid = /^[a-z]+_[0-9a-f-]{36}$/.test(text)
    if (!text.includes('_')) return digits(text)
    // The first half of a UUID is an instant, which may be looked at.
    return text.slice(0, -12) + (isUuid ? digits(text.slice(-12)) : randomBytes(9).toString('base64url'))
  }
  const changed = Object.fromEntries(thingNames.map((name) => [name, change(things[name])])) as Record<
    ThingName,
    string
  >
  // A node is found only in its run.
  changed['interrupts/{nodeId}'] = things['interrupts/{nodeId}']
  // The tiles of every log have the same paths.
  changed['tile/{path}'] = things['tile/{path}']
  const token = things['interrupts/{token}']
  changed['interrupts/{token}'] = token.slice(0, -6) + (token.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA')
  return { things: changed, canary: other, subject: change(subject), service: change(service) }
}

/** `/a/{id}:verb` with the ids of these things. A kind of id that was not furnished is an error of the test. */
export function fill(path: string, { things }: Furnished): string {
  return path.replaceAll(/([\w-]+)\/(\{\w+\})/g, (found, kind: string) => {
    if (!(found in things)) throw new Error(`There is no thing for ${found} of ${path}: furnish one.`)
    return `${kind}/${encodeURIComponent(things[found as ThingName])}`
  })
}
