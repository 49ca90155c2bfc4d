import { momentOf } from '../../../app/entries/moment.ts'
import { entryUses } from '../../../app/runs/entry-uses.ts'
import { route } from '../../../http/route.ts'
import { readAsOf } from '../read-as-of.ts'
import { Moment, MomentQuery } from '../schemas/moment.ts'
import { EntryUses } from '../schemas/uses.ts'

export const momentRoutes = [
  route('getMoment', 'GET /v1/host/colophon/moment', 'memory:read', {
    summary: 'Get a moment of memory',
    description: 'The position and the instant that `asOf` names, and the range of moments that can be read.',
    tag: 'memory',
    query: MomentQuery,
    responses: { 200: Moment },
    handler: ({ tenant, query }) => momentOf(tenant, readAsOf(query.asOf)),
  }),
  route('getEntryUses', 'GET /v1/host/colophon/memory/{ref}/entries/{id}/uses', 'runs:read', {
    summary: 'List what used an entry',
    description:
      'The runs that read the entry, from the read journals of the newest 200 runs, and the compactions that were made of it. No content.',
    tag: 'memory',
    responses: { 200: EntryUses },
    handler: ({ tenant, params }) => entryUses(tenant, params.ref, params.id),
  }),
]
