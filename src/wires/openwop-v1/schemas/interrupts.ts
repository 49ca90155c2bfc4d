import { z } from 'zod'
import { runStatuses } from '../../../core/run/run.ts'

const status = z.enum(runStatuses)

export const ResumeDraft = z.looseObject({ resumeValue: z.unknown() }).meta({ id: 'ResumeDraft' })

export const Resolved = z.strictObject({ runId: z.string(), nodeId: z.string(), status })

export const InterruptView = z
  .looseObject({ kind: z.string(), key: z.string(), data: z.unknown() })
  .meta({ id: 'Interrupt' })
