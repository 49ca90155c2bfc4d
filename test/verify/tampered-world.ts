import { createKey, revokeKey } from '../../src/app/access/keys.ts'
import { distillRef } from '../../src/app/distillation/distill-ref.ts'
import { revise } from '../../src/app/entries/change.ts'
import { putMany } from '../../src/app/entries/put.ts'
import { runForget } from '../../src/app/forget/forget-job.ts'
import { forget } from '../../src/app/forget/start-forget.ts'
import { add } from '../../src/app/provenance/add.ts'
import { listClaims, pinClaim } from '../../src/app/provenance/claims.ts'
import { ingest } from '../../src/app/provenance/ingest.ts'
import { putRule } from '../../src/app/redaction/rules.ts'
import { putSecret } from '../../src/app/redaction/vault.ts'
import { addRequest } from '../support/add-request.ts'
import { firstKey, leaseJob, startRun, type UseCaseWorld } from '../support/use-cases.ts'
import { compact, prepare } from './acts.ts'

const { signal } = new AbortController()

/** A tenant with rows of every kind, an erasure that is done and one that is under way. */
export async function fill(world: UseCaseWorld): Promise<void> {
  const { tenant } = world
  await prepare(world)
  const drafts = [1, 2, 3, 4, 5].map((n) => ({ content: `Note ${n}`, tags: ['a', `t${n}`], subject: 'ada' }))
  const { entries } = await putMany(tenant, 'notes', drafts)
  await revise(tenant, 'notes', entries[0]?.id ?? '', { content: 'Revised', tags: ['a'] })
  await tenant.delete('notes', entries[1]?.id ?? '')
  await tenant.put('kept', { content: 'Stays', expiresAt: '2099-01-01T00:00:00Z' })
  await addStatement(world, 'crm', 'ada', 'tea', 0.9)
  await addStatement(world, 'chat', 'ada', 'coffee', 0.8)
  await addStatement(world, 'chat', 'eve', 'milk', 0.8)
  const [claim] = await listClaims(tenant, { subject: 'ada', isContested: null, after: null, limit: 1 })
  await pinClaim(tenant, claim?.id ?? '', { memoryId: claim?.winner ?? '', reason: 'I asked her' })
  for (const name of ['one', 'two']) await createKey(tenant, firstKey, { name, scopes: ['memory:read'] })
  await revokeKey(tenant, (await createKey(tenant, firstKey, { name: 'three', scopes: ['memory:read'] })).id)
  await putRule(tenant, 'code', { pattern: 'xq-[0-9]+' })
  await putSecret(tenant, 'word', { value: 'correct horse battery' })
  await startRun(world, { workflowId: 'visit', inputs: { who: 'ada' }, tags: ['v'] })
  await tenant.put('agents/tea', { content: 'Boil' })
  await tenant.put('agents/tea', { content: 'Pour' })
  for (const content of ['Began', 'Ended']) await tenant.put('log', { content })
  world.clock.advance(1_000)
  await compact(world, 'log')
  const request = { distillationId: tenant.system.newId('dst'), memoryRef: 'kept', tokenBudget: 8_000 }
  await distillRef(tenant, { ...request, actor: 'test', signal })
  await erase(world, { subject: 'eve' })
  await forget(tenant, { reason: 'asked for', memoryRef: 'agents/tea' })
}

async function addStatement(world: UseCaseWorld, service: string, subject: string, drink: string, confidence: number) {
  const message = { role: 'user', content: `Drinks ${drink}.`, category: 'preference', claimKey: 'drink' } as const
  const source = { service, eventId: `e-${drink}`, scope: { thread: 't1' }, observedAt: world.clock.now - 1_000 }
  const evidence = [{ type: 'message', ref: 'm1' }]
  const request = addRequest([{ ...message, confidence }], { subject, infer: false, source: { ...source, evidence } })
  const { event } = await add(world.tenant, request, { actor: 'key:k', keyId: 'k', requestId: 'req_1' })
  await ingest(world.tenant, event.sourceEventId, await leaseJob(world, event.jobId), signal)
}

async function erase(world: UseCaseWorld, draft: Record<string, unknown>): Promise<void> {
  const answer = await forget(world.tenant, { reason: 'asked for', ...draft })
  if (!answer.dryRun) await runForget(world.tenant, answer.id, await leaseJob(world, answer.jobId), signal)
}
