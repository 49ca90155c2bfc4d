import { createKey, listKeys, revokeKey } from '../../../app/access/keys.ts'
import { rotateKey } from '../../../app/access/rotate-key.ts'
import { respond, route } from '../../../http/route.ts'
import { page } from '../../page.ts'
import { PageQuery } from '../../schema-parts.ts'
import { KeyDraft, KeyList, KeyOverlap, KeyView, NewKey } from '../schemas/keys.ts'

const base = '/v1/host/colophon/keys'
const common = { tag: 'keys' } as const

/** The API keys of the key's tenant. */
export const keyRoutes = [
  route('listKeys', `GET ${base}`, 'keys:manage', {
    ...common,
    summary: 'List keys',
    description:
      'The keys of the tenant with their scopes and status, oldest first, including expired and revoked keys.',
    query: PageQuery,
    responses: { 200: KeyList },
    async handler({ tenant, query }) {
      const { items, next } = await page(query, 'id', (range) => listKeys(tenant, range))
      return { keys: items, ...next }
    },
  }),
  route('createKey', `POST ${base}`, 'keys:manage', {
    ...common,
    summary: 'Create a key',
    needsKey: true,
    description:
      'The new key has at most the scopes and the lifetime of the calling key. `key` is shown only in this response: store it now.',
    body: KeyDraft,
    responses: { 201: NewKey },
    async handler({ tenant, principal, body, write }) {
      const made = await createKey(tenant, principal, body, write)
      return respond(made, { repeated: made.key === undefined })
    },
  }),
  route('rotateKey', `POST ${base}/{id}:rotate`, 'keys:manage', {
    ...common,
    summary: 'Rotate a key',
    needsKey: true,
    description:
      'Creates a key with the same name, scopes and expiry. The old key ends now, or after `overlapMs`. The calling key needs all scopes of the rotated key, and must not expire earlier. Writers that are bound to the old key are bound to the new one, if the rotated key itself or a key with `memory:admin` calls; until the overlap ends, both write in their name.',
    body: KeyOverlap,
    responses: { 201: NewKey },
    async handler({ tenant, principal, params, body, write }) {
      const made = await rotateKey(tenant, principal, params.id, body.overlapMs ?? 0, write)
      return respond(made, { repeated: made.key === undefined })
    },
  }),
  route('revokeKey', `DELETE ${base}/{id}`, 'keys:manage', {
    ...common,
    summary: 'Revoke a key',
    description: 'Requests with the key are refused from now on. The key stays in the list as revoked.',
    responses: { 200: KeyView },
    async handler({ tenant, params, write }) {
      const { key, repeated } = await revokeKey(tenant, params.id, write)
      return respond(key, { repeated })
    },
  }),
]
