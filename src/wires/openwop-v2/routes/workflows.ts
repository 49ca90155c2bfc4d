import { readWorkflow } from '../../../app/runs/workflow-registry.ts'
import { ColophonError } from '../../../core/errors.ts'
import { route } from '../../../http/route.ts'
import { WorkflowDocument } from '../../openwop-v1/schemas/workflows.ts'
import { openAuthoredId } from '../ids.ts'

export const workflowRoutes = [
  route('getWorkflow', 'GET /workflows/{workflowId}', 'manifest:read', {
    summary: 'Get a workflow',
    description: 'The newest version of a registered workflow, as it is stored: secrets in it are redacted.',
    tag: 'workflows',
    responses: { 200: WorkflowDocument },
    async handler({ tenant, params }) {
      const found = await readWorkflow(tenant, openAuthoredId('workflowId', params.workflowId))
      if (found === null) throw new ColophonError('not_found', 'There is no such workflow.')
      return { ...found }
    },
  }),
]
