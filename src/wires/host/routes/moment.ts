import { momentOf } from '../../../app/entries/moment.ts'
import { route } from '../../../http/route.ts'
import { readAsOf } from '../read-as-of.ts'
import { Moment, MomentQuery } from '../schemas/moment.ts'

export const momentRoutes = [
  route('getMoment', 'GET /v1/host/colophon/moment', 'memory:read', {
    summary: 'Get a moment of memory',
    description: 'The position and the instant that `asOf` names, and the range of moments that can be read.',
    tag: 'memory',
    query: MomentQuery,
    responses: { 200: Moment },
    handler: ({ tenant, query }) => momentOf(tenant, readAsOf(query.asOf)),
  }),
]
