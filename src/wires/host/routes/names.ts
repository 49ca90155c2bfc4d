import { namesOf } from '../../../app/names.ts'
import { toInstant } from '../../../core/check.ts'
import { route } from '../../../http/route.ts'
import { NameList, NamesDraft } from '../schemas/names.ts'

/** Names instead of ids, for screens: one request for all ids that a screen shows. */
export const nameRoutes = [
  route('listNames', 'POST /v1/host/colophon/names', 'memory:read', {
    summary: 'Get the names of ids',
    description:
      'The names of keys, the workflows of runs with the instant of their start, and the names of the keys that requested erasures. Runs need the scope `runs:read`, erasures `memory:admin`. Unknown ids are left out.',
    tag: 'keys',
    isRead: true,
    body: NamesDraft,
    responses: { 200: NameList },
    async handler({ tenant, principal, body }) {
      const { scopes } = principal
      const names = await namesOf(tenant, body.ids, {
        withRuns: scopes.includes('runs:read'),
        withForgets: scopes.includes('memory:admin') && tenant.reader === null,
      })
      return {
        names: names.map(({ id, name, createdAt }) => ({
          ...{ id, name },
          ...(createdAt === null ? {} : { createdAt: toInstant(createdAt) }),
        })),
      }
    },
  }),
]
