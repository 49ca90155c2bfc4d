import { route } from '../../../http/route.ts'
import { EntryList, ListQuery } from '../schemas/entries.ts'

/** The read of OpenWOP. The host wire has all other routes of entries. */
export const entryRoutes = [
  route('listMemory', 'GET /v1/memory/{ref}', 'memory:read', {
    summary: 'List the entries of a ref',
    description: 'The newest entries of a ref, without a cursor.',
    tag: 'memory',
    query: ListQuery,
    responses: { 200: EntryList },
    async handler({ tenant, params, query }) {
      const { entries } = await tenant.list(params.ref, query)
      return { entries }
    },
  }),
]
