import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import type { Tenant } from '../support/server.ts'

const host = '/v1/host/colophon'

/** Everything of a tenant that another tenant must never see; made of random text, so that finding it proves a leak. */
export async function furnish({ id, call, key }: Tenant) {
  const canary = `canary${randomBytes(8).toString('hex')}`
  const ref = `ref-${canary}`
  const draft = { content: `content ${canary}`, tags: [`tag-${canary}`], subject: `subject-${canary}` }
  const entries = []
  for (let index = 0; index < 3; index++)
    entries.push((await call('POST', `${host}/memory/${ref}/entries`, draft)).body.id)
  await call('PUT', `${host}/secrets/secret-${canary}`, { value: `value-${randomBytes(8).toString('hex')}` })
  await call('PUT', `${host}/rules/rule-${canary}`, { pattern: `pattern-${canary}` })
  await call('PATCH', '/v1/tenant/settings', { default_writer_priority: 42 })
  const keyId = (await call('POST', `${host}/keys`, { name: `key ${canary}`, scopes: ['memory:read'] })).body
    .id as string
  const page = (await call('GET', `${host}/memory/${ref}/entries?limit=1`)).body
  return {
    id,
    key,
    canary,
    ref,
    tag: `tag-${canary}`,
    entries: entries as string[],
    keyId,
    cursor: page.cursor as string,
  }
}
export type Furnished = Awaited<ReturnType<typeof furnish>>

/** What other tenants must not be able to change. */
export const stateOf = async ({ call }: Tenant, { ref }: Furnished) => {
  const paths = [
    `${host}/memory/${ref}/entries`,
    `${host}/keys`,
    `${host}/secrets`,
    `${host}/rules`,
    '/v1/tenant/settings',
    `${host}/audit`,
  ]
  const answers = await Promise.all(paths.map((path) => call('GET', path)))
  return answers.map(({ text }) => text.replaceAll(/"lastUsedAt":"[^"]*"/g, ''))
}

/** Any call of the API, with names of the other tenant wherever a name can stand. */
export function anyCall(other: Furnished) {
  const { id, key, canary, ref, tag, entries, keyId, cursor } = other
  const names = [ref, id, key, keyId, tag, cursor, canary, ...entries, `secret-${canary}`, `rule-${canary}`]
  const tricks = [
    'default',
    '*',
    '%',
    '_',
    '..',
    `../${id}`,
    `${id}/${ref}`,
    `${id}:${ref}`,
    `${ref}\u0000`,
    "' or 1=1 --",
    '1',
    '0',
  ]
  const name = fc.oneof(fc.constantFrom(...names, ...tricks), fc.string({ maxLength: 12 }))
  const part = name.map((text) => encodeURIComponent(text.isWellFormed() ? text : 'x') || 'x')
  const path = fc.oneof(
    fc.constantFrom(
      `${host}/memory`,
      `${host}/keys`,
      `${host}/secrets`,
      `${host}/rules`,
      `${host}/audit`,
      '/v1/audit/verify',
      '/v1/tenant/settings',
      `${host}/tenants`,
    ),
    part.map((ref) => `${host}/memory/${ref}/entries`),
    fc.tuple(part, part).map(([ref, id]) => `${host}/memory/${ref}/entries/${id}`),
    fc.tuple(part, part).map(([ref, id]) => `${host}/memory/${ref}/entries/${id}/colophon`),
    part.map((ref) => `${host}/memory/${ref}/entries:batch`),
    part.map((ref) => `/v1/memory/${ref}`),
    fc
      .tuple(fc.constantFrom('keys', 'secrets', 'rules', 'tenants'), part, fc.constantFrom('', ':rotate', ':disable'))
      .map(([kind, id, verb]) => `${host}/${kind}/${id}${verb}`),
    part.map((any) => `/v1/tenant/${any}`),
  )
  const query = fc.array(
    fc.tuple(
      fc.constantFrom('limit', 'tag', 'cursor', 'asOf', 'after', 'tenant', 'tenantId', 'fromSeq', 'toSeq', 'subject'),
      part,
    ),
    { maxLength: 2 },
  )
  const headers = fc.dictionary(
    fc.constantFrom(
      'x-tenant',
      'x-tenant-id',
      'tenant',
      'x-forwarded-user',
      'x-original-url',
      'x-http-method-override',
      'cookie',
      'idempotency-key',
      'host-tenant',
    ),
    fc.constantFrom(id, key, keyId),
    { maxKeys: 2 },
  )
  const bodies = fc.constantFrom<object>(
    { content: 'x' },
    { content: 'x', tenantId: id },
    { tenant: id, content: 'x' },
    { entries: [{ content: 'x', tags: [tag] }] },
    { id },
    { value: `value of ${canary}` },
    { pattern: `pattern-${canary}` },
    { name: 'k', scopes: ['memory:read'], tenantId: id },
    { redaction_policy: 'rewrite' },
    { overlapMs: 0 },
  )
  const method = fc.constantFrom('GET', 'GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE')
  return fc.record({ method, path, query, headers, body: bodies }).map(({ method, path, query, headers, body }) => ({
    method,
    path: query.length === 0 ? path : `${path}?${query.map(([field, value]) => `${field}=${value}`).join('&')}`,
    headers,
    body: method === 'GET' ? undefined : body,
  }))
}
