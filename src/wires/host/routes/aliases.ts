import { listAliases, setAliases } from '../../../app/provenance/aliases.ts'
import { respond, route } from '../../../http/route.ts'
import { checkScope } from '../../../http/route-context.ts'
import { AliasDraft, Aliases, AliasQuery } from '../schemas/aliases.ts'

const path = '/v1/host/colophon/aliases'
const tag = 'memories'

/** Names that mean the same person or thing. */
export const aliasRoutes = [
  route('listAliases', `GET ${path}`, 'memory:read', {
    summary: 'List aliases',
    description:
      'The names that mean the same in the memories about a subject: those that were set, and those that memories state ("Robert, called Bob").',
    tag,
    query: AliasQuery,
    responses: { 200: Aliases },
    handler: async ({ tenant, query: { subject } }) => ({ subject, aliases: await listAliases(tenant, subject) }),
  }),
  route('setAliases', `PUT ${path}`, 'memory:write', {
    summary: 'Set the aliases of a subject',
    description: 'Replaces them; an empty list removes them. Needs the scope `memory:read` too.',
    tag,
    body: AliasDraft,
    responses: { 200: Aliases },
    async handler({ tenant, request, body: { subject, aliases }, write }) {
      checkScope(request, 'memory:read')
      const { repeated } = await setAliases(tenant, subject, aliases, write)
      return respond({ subject, aliases: await listAliases(tenant, subject) }, { repeated })
    },
  }),
]
