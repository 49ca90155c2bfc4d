import { z } from 'zod'
import { list, nextCursor } from '../../schema-parts.ts'

export const WorkflowStored = z.strictObject({ id: z.string(), version: z.int() }).meta({
  id: 'WorkflowStored',
  description: 'The version under which the workflow is registered.',
  examples: [{ id: 'onboarding', version: 2 }],
})

const WorkflowSummary = z
  .strictObject({ id: z.string(), version: z.int(), name: z.string() })
  .meta({ id: 'WorkflowSummary', description: 'A workflow and its newest version.' })

export const WorkflowPage = z.strictObject({ workflows: list(WorkflowSummary), cursor: nextCursor }).meta({
  id: 'WorkflowPage',
  description: 'One page of workflows, by id.',
  examples: [{ workflows: [{ id: 'onboarding', version: 2, name: 'Onboarding' }] }],
})
