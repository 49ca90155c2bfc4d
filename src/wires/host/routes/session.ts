import { keyName } from '../../../app/access/keys.ts'
import { toInstant } from '../../../core/check.ts'
import { route } from '../../../http/route.ts'
import { SessionView } from '../schemas/session.ts'

export const sessionRoutes = [
  route('getSession', 'GET /v1/host/colophon/session', 'key', {
    summary: 'Get the caller',
    description: 'The tenant of the key, its name and its scopes.',
    tag: 'keys',
    responses: { 200: SessionView },
    async handler({ tenant, principal: { keyId, scopes, reader, endsAt } }) {
      return {
        tenant: tenant.id,
        keyId,
        name: await keyName(tenant, keyId),
        scopes: [...scopes],
        ...(reader === null ? {} : { reader }),
        ...(endsAt === null ? {} : { endsAt: toInstant(endsAt) }),
      }
    },
  }),
]
