import { listWorkflows } from '../../../app/runs/workflow-registry.ts'
import { respond, route } from '../../../http/route.ts'
import { checkScope } from '../../../http/route-context.ts'
import { registerWorkflow, startsRuns } from '../../../jobs/workflow-triggers.ts'
import { WorkflowDocument } from '../../openwop-v1/schemas/workflows.ts'
import { page } from '../../page.ts'
import { PageQuery } from '../../schema-parts.ts'
import { WorkflowPage, WorkflowStored } from '../schemas/workflows.ts'

const base = '/v1/host/colophon/workflows'
const tag = 'workflows'

/** Workflows of the key's tenant. */
export const workflowRoutes = [
  route('listWorkflows', `GET ${base}`, 'manifest:read', {
    summary: 'List workflows',
    description: 'The registered workflows with their newest version, by id.',
    tag,
    query: PageQuery,
    responses: { 200: WorkflowPage },
    async handler({ tenant, query }) {
      const { items, next } = await page(query, 'id', (range) => listWorkflows(tenant, range))
      return { workflows: items, ...next }
    },
  }),
  route('putWorkflow', `POST ${base}`, 'memory:admin', {
    summary: 'Register a workflow',
    description:
      'A changed document becomes the next version (201). Runs keep the version they started with. An unchanged document changes nothing (200). Triggers of the type `schedule` become schedules, and need `runs:create` too.',
    tag,
    body: WorkflowDocument,
    responses: { 200: WorkflowStored, 201: WorkflowStored },
    async handler({ tenant, request, body, write }) {
      if (startsRuns(body)) checkScope(request, 'runs:create')
      const { id, version, isNew, repeated } = await registerWorkflow(tenant, body, write)
      return respond({ id, version }, { status: isNew ? 201 : 200, repeated })
    },
  }),
]
