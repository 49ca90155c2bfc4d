import { createKey, listKeys, revokeKey, rotateKey } from '../../../app/keys.ts'
import { answer, route } from '../../../http/route.ts'
import { KeyDraft, KeyList, KeyOverlap, KeyView, NewKey } from '../schemas/keys.ts'

const base = '/v1/host/colophon/keys'
const common = { tag: 'keys' } as const

/** The API keys of the key's tenant. */
export const keyRoutes = [
  route('listKeys', `GET ${base}`, 'memory:admin', {
    ...common,
    summary: 'List keys',
    description: 'Every key of the tenant with its scopes and its status, those that have ended included.',
    answers: { 200: KeyList },
    handler: async ({ tenant }) => ({ keys: await listKeys(tenant) }),
  }),
  route('createKey', `POST ${base}`, 'memory:admin', {
    ...common,
    summary: 'Create a key',
    description: 'The answer is the only place where the key itself is shown. Store it now.',
    body: KeyDraft,
    answers: { 201: NewKey },
    async handler({ tenant, body, write }) {
      const made = await createKey(tenant, body, write)
      return answer(made, { repeated: made.key === undefined })
    },
  }),
  route('rotateKey', `POST ${base}/{id}:rotate`, 'memory:admin', {
    ...common,
    summary: 'Rotate a key',
    description: 'Creates a key with the same name and scopes. The old key ends now, or after `overlapMs`.',
    body: KeyOverlap,
    answers: { 201: NewKey },
    async handler({ tenant, params, body, write }) {
      const made = await rotateKey(tenant, params.id, body.overlapMs ?? 0, write)
      return answer(made, { repeated: made.key === undefined })
    },
  }),
  route('revokeKey', `DELETE ${base}/{id}`, 'memory:admin', {
    ...common,
    summary: 'Revoke a key',
    description: 'Requests with the key are refused from now on. The key stays in the list as revoked.',
    answers: { 200: KeyView },
    async handler({ tenant, params, write }) {
      const { key, repeated } = await revokeKey(tenant, params.id, write)
      return answer(key, { repeated })
    },
  }),
]
