import { z } from 'zod'

/** What the tools of the set `all` return as structured content. As in output-schemas.ts, objects are open. */

const note = z.string().describe('How to read the texts in this result')
const instant = z.string().describe('ISO-8601 instant')
const status = z.enum(['preview', 'done', 'processing']).describe('`processing`: the job continues')
const jobId = z.string().optional().describe('The job, if it continues')

export const DistillOutput = z.object({
  status,
  note: note.optional(),
  id: z.string().optional().describe('The distillation, for lineage'),
  archive_id: z.string().optional().describe('The memory with the text, for get'),
  text: z.string().optional(),
  source_count: z.number().optional(),
  token_budget: z.number().optional(),
  minimum_required: z.number().optional().describe('The smallest token budget'),
  job_id: jobId,
})

export const ConsolidateOutput = z.object({
  status,
  input_count: z.number().optional().describe('Memories before'),
  output_count: z.number().optional().describe('Memories after'),
  merges: z
    .array(z.looseObject({ reason: z.string(), keptId: z.string(), sourceIds: z.array(z.string()) }))
    .optional()
    .describe('What would become one, and why'),
  questions: z.number().optional().describe('How many pairs the model would be asked about'),
  job_id: jobId,
})

const Source = z.looseObject({ id: z.string(), content: z.string() })

export const LineageOutput = z.object({
  note,
  made: z
    .array(
      z.looseObject({
        id: z.string(),
        kind: z.enum(['distillation', 'merge', 'summary']),
        status: z.string(),
        reason: z.string().optional().describe('Why they became one'),
        outputId: z.string().nullable(),
        sourceCount: z.number(),
        sourceIds: z.array(z.string()).optional(),
        at: instant,
      }),
    )
    .describe('Newest first'),
  output: Source.nullish().describe('With id: the text that was made; null if it ended'),
  sources: z.array(Source).optional().describe('With id: the texts that it was made of'),
})

export const SchedulesOutput = z.object({
  note,
  schedules: z.array(
    z.looseObject({
      id: z.string(),
      kind: z.string(),
      status: z.string(),
      cron: z.string().optional(),
      hasDryRun: z.boolean(),
      nextDueAt: instant.optional(),
      lastDueAt: instant.optional(),
    }),
  ),
})

export const RunScheduleOutput = z.object({
  status,
  job_id: z.string(),
  summary: z.string().optional().describe('With dry_run: what the job would do'),
  result: z.unknown().optional().describe('What the job reports'),
})

export const AgentsOutput = z.object({
  note,
  agents: z.array(
    z.looseObject({
      agentId: z.string(),
      persona: z.string(),
      toolAllowlist: z.array(z.string()),
      degraded: z.array(z.string()).optional(),
    }),
  ),
})

export const RunAgentOutput = z.object({
  note,
  status: z.string().describe('The status of the run. `waiting-…`: a person must decide first'),
  run_id: z.string(),
  result: z.unknown().optional().describe('What the agent answered, of a completed run'),
})
