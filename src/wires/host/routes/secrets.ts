import { listSecrets, putSecret, removeSecret } from '../../../app/redaction/vault.ts'
import { respond, route } from '../../../http/route.ts'
import { Deleted, NoContent } from '../../schema-parts.ts'
import { SecretDraft, SecretList } from '../schemas/secrets.ts'

const base = '/v1/host/colophon/secrets'
const common = { tag: 'secrets' } as const

/** The vault: values that are redacted in everything that is stored. */
export const secretRoutes = [
  route('listSecrets', `GET ${base}`, 'memory:admin', {
    ...common,
    summary: 'List secrets',
    description: 'The ids and scopes of the stored secrets. Values are never returned.',
    responses: { 200: SecretList },
    handler: async ({ tenant }) => ({ secrets: await listSecrets(tenant) }),
  }),
  route('putSecret', `PUT ${base}/{id}`, 'memory:admin', {
    ...common,
    summary: 'Put a secret',
    description:
      'Stores a value encrypted. From now on it is replaced by `[REDACTED:<id>]` in everything that is written. For data that is stored already, request a redaction.',
    body: SecretDraft,
    responses: { 204: NoContent },
    async handler({ tenant, params, body, write }) {
      const { repeated } = await putSecret(tenant, params.id, body, write)
      return respond(null, { repeated })
    },
  }),
  route('deleteSecret', `DELETE ${base}/{id}`, 'memory:admin', {
    ...common,
    summary: 'Delete a secret',
    description: 'The value is no longer redacted. Existing markers stay.',
    responses: { 200: Deleted },
    async handler({ tenant, params, write }) {
      const { deleted, repeated } = await removeSecret(tenant, params.id, write)
      return respond({ deleted }, { repeated })
    },
  }),
]
