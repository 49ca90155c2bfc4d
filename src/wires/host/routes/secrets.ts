import { listSecrets, putSecret, removeSecret } from '../../../app/vault.ts'
import { answer, route } from '../../../http/route.ts'
import { Deleted, NoContent } from '../../schema-parts.ts'
import { SecretDraft, SecretList } from '../schemas/secrets.ts'

const base = '/v1/host/colophon/secrets'
const common = { access: 'memory:admin', tag: 'secrets' } as const

/** Values that must not stand in memory. */
export const secretRoutes = [
  route({
    ...common,
    method: 'GET',
    path: base,
    operationId: 'listSecrets',
    summary: 'List secrets',
    description: 'The ids and scopes of the stored secrets. Values are never returned.',
    answers: { 200: SecretList },
    handler: async ({ tenant }) => ({ secrets: await listSecrets(tenant) }),
  }),
  route({
    ...common,
    method: 'PUT',
    path: `${base}/{id}`,
    operationId: 'putSecret',
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
  route({
    ...common,
    method: 'DELETE',
    path: `${base}/{id}`,
    operationId: 'deleteSecret',
    summary: 'Delete a secret',
    description: 'The value is redacted no longer. Markers that replaced it stay.',
    answers: { 200: Deleted },
    async handler({ tenant, params, write }) {
      const { deleted, repeated } = await removeSecret(tenant, params.id, write)
      return answer({ deleted }, { repeated })
    },
  }),
]
