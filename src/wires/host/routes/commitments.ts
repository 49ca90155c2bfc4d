import { getCommitment, pageOfCommitments, toCommitmentView } from '../../../app/commitments/find-commitments.ts'
import { cancelCommitment, createCommitment, editCommitment } from '../../../app/commitments/manage-commitments.ts'
import { scopesOfNamedRef } from '../../../app/runs/agent-workflow.ts'
import { respond, route } from '../../../http/route.ts'
import { checkScope, checkScopes } from '../../../http/route-context.ts'
import { page } from '../../page.ts'
import {
  Commitment,
  CommitmentChange,
  CommitmentDraft,
  CommitmentPage,
  CommitmentQuery,
} from '../schemas/commitments.ts'

const base = '/v1/host/colophon/commitments'
const tag = 'commitments'

/** Commitments: what entries ask for at a time, or after an event. */
export const commitmentRoutes = [
  route('listCommitments', `GET ${base}`, 'memory:read', {
    summary: 'List commitments',
    description: 'What waits, from which entry, and what fired when: in order of ref, newest first.',
    tag,
    query: CommitmentQuery,
    responses: { 200: CommitmentPage },
    async handler({ tenant, query: { memoryRef, status, ...range } }) {
      const { items, next } = await page(range, 'id', (at) => pageOfCommitments(tenant, { memoryRef, status }, at))
      return { commitments: items, ...next }
    },
  }),
  route('createCommitment', `POST ${base}`, 'memory:write', {
    summary: 'Create a commitment',
    description: 'It fires once: at an instant, or when an entry of the ref asserts a statement.',
    tag,
    body: CommitmentDraft,
    responses: { 201: Commitment },
    async handler({ tenant, request, body, write }) {
      if (body.workflowId !== undefined) checkScope(request, 'runs:create')
      // The run that it starts gets the ref as an input.
      const { workflowId, memoryRef } = body
      checkScopes(request, await scopesOfNamedRef(tenant, { workflowId, inputs: { memoryRef } }))
      const { view, repeated } = await createCommitment(tenant, body, write)
      return respond(view, { repeated })
    },
  }),
  route('getCommitment', `GET ${base}/{id}`, 'memory:read', {
    summary: 'Get a commitment',
    description: 'One commitment, with the entry that it comes from and the run that it started.',
    tag,
    responses: { 200: Commitment },
    handler: async ({ tenant, params }) => toCommitmentView(await getCommitment(tenant, params.id)),
  }),
  route('changeCommitment', `PATCH ${base}/{id}`, 'memory:write', {
    summary: 'Change a commitment',
    description: 'Changes one that waits; needs `memory:read` too. One that was imported is active afterwards.',
    tag,
    body: CommitmentChange,
    responses: { 200: Commitment },
    async handler({ tenant, request, params, body, write }) {
      // The response shows the text of an entry.
      checkScope(request, 'memory:read')
      if (typeof body.workflowId === 'string') checkScope(request, 'runs:create')
      const { view, repeated } = await editCommitment(tenant, params.id, body, write)
      return respond(view, { repeated })
    },
  }),
  route('cancelCommitment', `POST ${base}/{id}:cancel`, 'memory:write', {
    summary: 'Cancel a commitment',
    description: 'It does not fire. Only one that waits can be cancelled. Needs `memory:read` too.',
    tag,
    responses: { 200: Commitment },
    async handler({ tenant, request, params, write }) {
      checkScope(request, 'memory:read')
      const { view, repeated } = await cancelCommitment(tenant, params.id, write)
      return respond(view, { repeated })
    },
  }),
]
