import assert from 'node:assert/strict'
import type { Call } from '../support/server.ts'

type StatementOptions = {
  readonly service: string
  readonly event: string
  readonly text: string
  readonly at?: string
}

/** Registers a source service with this authority. */
export async function addWriter(call: Call, service_key: string, default_priority: number): Promise<string> {
  const authority_rules = { default_priority, categories: {} }
  const made = await call('POST', '/v1/tenant/service-writers', { service_key, authority_rules })
  assert.equal(made.status, 201, made.text)
  return made.body.id as string
}

/** A service ingests a statement in the slot `ui.theme` of a subject; resolves when it is stored. */
export async function ingest(
  call: Call,
  subject: string,
  { service, event, text, at }: StatementOptions,
): Promise<void> {
  const added = await call('POST', '/v1/memories/add', {
    external_user_id: subject,
    infer: false,
    messages: [{ role: 'user', content: text, category: 'preference', claim_key: 'ui.theme', confidence: 0.9 }],
    source: { service, event_id: event, ...(at === undefined ? {} : { observed_at: at }) },
  })
  assert.equal(added.status, 202, added.text)
  await jobDone(call, added.body.job_id)
}

async function jobDone(call: Call, jobId: string): Promise<void> {
  for (;;) {
    const job = await call('GET', `/v1/memories/jobs/${jobId}`)
    assert.notEqual(job.body.status, 'dead', job.text)
    if (job.body.status === 'completed') return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
