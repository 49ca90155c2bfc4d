import { listSecrets, putSecret, removeSecret } from '../../../app/redaction/vault.ts'
import { answer, route } from '../../../http/route.ts'
import { Deleted, NoContent } from '../../schema-parts.ts'
import { SecretDraft, SecretList } from '../schemas/secrets.ts'

const base = '/v1/host/colophon/secrets'
const common = { tag: 'secrets' } as const

/** Values that must not stand in memory. */
export const secretRoutes = [
  route('listSecrets', `GET ${base}`, 'memory:admin', {
    ...common,
    summary: 'List secrets',
    description: 'The ids and scopes of the stored secrets. Values are never returned.',
    answers: { 200: SecretList },
    handler: async ({ tenant }) => ({ secrets: await listSecrets(tenant) }),
  }),
  route('putSecret', `PUT ${base}/{id}`, 'memory:admin', {
    ...common,
    summary: 'Put a secret',
    description:
      'Stores a value encrypted. From now on it is replaced by `[REDACTED:<id>]` in whatever is written; request a redaction for what is stored already.',
    body: SecretDraft,
    answers: { 204: NoContent },
    async handler({ tenant, params, body, write }) {
      const { repeated } = await putSecret(tenant, params.id, body, write)
      return answer(null, { repeated })
    },
  }),
  route('deleteSecret', `DELETE ${base}/{id}`, 'memory:admin', {
    ...common,
    summary: 'Delete a secret',
    description: 'The value is redacted no longer. Markers that replaced it stay.',
    answers: { 200: Deleted },
    async handler({ tenant, params, write }) {
      const { deleted, repeated } = await removeSecret(tenant, params.id, write)
      return answer({ deleted }, { repeated })
    },
  }),
]
