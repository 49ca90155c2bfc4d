import { z } from 'zod'

export const WorkflowDocument = z.record(z.string(), z.unknown()).meta({ id: 'WorkflowDefinition' })
