import { createKey, listKeys, revokeKey, rotateKey } from '../../../app/keys.ts'
import { answer, route } from '../../../http/route.ts'
import { KeyDraft, KeyList, KeyOverlap, KeyView, NewKey } from '../schemas/keys.ts'

const base = '/v1/host/colophon/keys'
const common = { access: 'memory:admin', tag: 'keys' } as const

/** The API keys of the key's tenant. */
export const keyRoutes = [
  route({
    ...common,
    method: 'GET',
    path: base,
    operationId: 'listKeys',
    summary: 'List keys',
    description: 'Every key of the tenant with its scopes and its status, those that have ended included.',
    answers: { 200: KeyList },
    handler: async ({ tenant }) => ({ keys: await listKeys(tenant) }),
  }),
  route({
    ...common,
    method: 'POST',
    path: base,
    operationId: 'createKey',
    summary: 'Create a key',
    description: 'The answer is the only place where the key itself is shown. Store it now.',
    body: KeyDraft,
    answers: { 201: NewKey },
    async handler({ tenant, body, write }) {
      const made = await createKey(tenant, body, write)
      return answer(made, { repeated: made.key === undefined })
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: `${base}/{id}:rotate`,
    operationId: 'rotateKey',
    summary: 'Rotate a key',
    description: 'Creates a key with the same name and scopes. The old key ends now, or after `overlapMs`.',
    body: KeyOverlap,
    answers: { 201: NewKey },
    async handler({ tenant, params, body, write }) {
      const made = await rotateKey(tenant, params.id, body.overlapMs ?? 0, write)
      return answer(made, { repeated: made.key === undefined })
    },
  }),
  route({
    ...common,
    method: 'DELETE',
    path: `${base}/{id}`,
    operationId: 'revokeKey',
    summary: 'Revoke a key',
    description: 'Requests with the key are refused from now on. The key stays in the list as revoked.',
    answers: { 200: KeyView },
    async handler({ tenant, params, write }) {
      const { key, repeated } = await revokeKey(tenant, params.id, write)
      return answer(key, { repeated })
    },
  }),
]
