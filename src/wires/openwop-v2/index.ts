import type { Wire } from '../../http/wire.ts'
import { negotiateVersions, placeOf, versionHeader } from '../negotiation.ts'
import { toV2Envelope } from './errors.ts'
import { runEventRoutes } from './events/routes.ts'
import { interruptRoutes } from './interrupts/routes.ts'
import { agentRoutes } from './routes/agents.ts'
import { auditRoutes } from './routes/audit.ts'
import { discoveryRoutes } from './routes/discovery.ts'
import { workflowRoutes } from './routes/workflows.ts'
import { runControlRoutes } from './runs/control-routes.ts'
import { effectRoutes } from './runs/effect-routes.ts'
import { runInspectRoutes } from './runs/inspect-routes.ts'
import { runRoutes } from './runs/routes.ts'
import { ErrorEnvelope } from './schemas/error.ts'
import { webhookRoutes } from './webhooks/routes.ts'

/**
 * OpenWOP, version 2: paths without `/v1`, over the same use cases as version 1.
 *
 * How to add a route:
 * 1. Export an array of `route('operationId', 'GET /runs/{runId}', scope, …)` from a file here, and add it to `routes` below. The ids of
 *    operations are those of the protocol; one that version 1 does not have needs a row in `src/http/reader-rules.ts`.
 * 2. Bodies and queries are `z.strictObject`s: an unknown member is refused and named. If version 1 has the member under another name, add
 *    it to `names-in-v2.ts`. The id of a schema is unique among all wires: where version 1 has the name, add `V2`.
 * 3. Ids: `openPathId('runId', tenant.id, params.runId)` for a parameter, `openId` for a body, `openAuthoredId` for nodes, workflows and
 *    agents; `bindId(tenant.id, runId)` in a response, `pathSegment` in a link.
 * 4. Errors: throw the `ColophonError`s of the engine, which `codes.ts` maps; `v2Error` for a code that only version 2 has.
 * 5. Who owns a thing: `ownerOf` and `subjectOf` in `subject.ts`.
 * 6. A path whose first segment is new goes into `placeOf` (`../negotiation.ts`): it gets the version header and this error envelope.
 * 7. `test/server/authorisation-table.ts` needs a row for the route. Both OpenAPI documents are made from the routes.
 */
export const openwopV2: Wire = {
  owns: (path) => placeOf(path) === 'v2',
  routes: [
    ...discoveryRoutes,
    ...runRoutes,
    ...runControlRoutes,
    ...runEventRoutes,
    ...runInspectRoutes,
    ...effectRoutes,
    ...interruptRoutes,
    ...workflowRoutes,
    ...webhookRoutes,
    ...agentRoutes,
    ...auditRoutes,
  ],
  guard: negotiateVersions,
  document: {
    path: '/openapi.json',
    title: 'Colophon: OpenWOP 2',
    describes: (path) => placeOf(path) === 'v2' || placeOf(path) === 'discovery',
  },
  errorSchema: ErrorEnvelope,
  errorHeaders: versionHeader,
  toError: toV2Envelope,
}
