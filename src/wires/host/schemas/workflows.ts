import { z } from 'zod'
import { list } from '../../schema-parts.ts'

export const WorkflowStored = z.strictObject({ id: z.string(), version: z.int() }).meta({ id: 'WorkflowStored' })

export const WorkflowPage = z
  .strictObject({
    workflows: list(z.strictObject({ id: z.string(), version: z.int(), name: z.string() })),
    cursor: z.string().optional(),
  })
  .meta({ id: 'WorkflowPage' })
