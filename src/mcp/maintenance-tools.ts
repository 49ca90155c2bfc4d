import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type Client, ClientError, type Job } from '../client/index.ts'
import { ConsolidateOutput, DistillOutput, LineageOutput } from './all-output-schemas.ts'
import { asData, dataNote as note } from './as-data.ts'
import { type BoundRef, inputOf, refFor } from './bound-ref.ts'
import { lineageOf, listLineage, readArchive } from './lineage.ts'
import { addsOnce, addTool, deletes, readsOnly, type ToolOutcome } from './tools.ts'
import { waitWithin } from './wait-within.ts'

const lineageDefault = 20
const lineageMax = 100

/** Required, so that no call changes memory because an argument was forgotten. */
export const dryRun = z.boolean().describe('true: only say what would happen. false: do it')

/** distill, consolidate, lineage. */
export function addMaintenanceTools(server: McpServer, client: Client, bound: BoundRef): void {
  addTool(
    server,
    'distill',
    {
      title: 'Distill a ref',
      description:
        'Make one text, the archive, of all memories of a ref within a token budget. The memories stay. Use it when the user wants an ' +
        'overview that later sessions can start from. Call it with dry_run: true first, to see the smallest budget.',
      inputSchema: inputOf(bound, {
        dry_run: dryRun,
        token_budget: z
          .int()
          .optional()
          .describe('The most tokens that the memories and the archive may have together'),
      }),
      outputSchema: DistillOutput,
      annotations: addsOnce,
      argumentNames: { tokenBudget: 'token_budget' },
    },
    async (args) => distill(client, { memoryRef: refFor(bound, args), tokenBudget: args.token_budget }, args.dry_run),
  )

  addTool(
    server,
    'consolidate',
    {
      title: 'Consolidate a ref',
      description:
        'Merge memories of a ref that say the same, or that a later one corrects. One text of each group stays, word for word; the others ' +
        'end. Call it with dry_run: true first, show the user what would become one, and do it only if the user agrees.',
      inputSchema: inputOf(bound, {
        dry_run: dryRun,
        model: z.boolean().optional().describe('Also ask the model of the server about what the rules leave apart'),
      }),
      outputSchema: ConsolidateOutput,
      annotations: deletes,
    },
    async (args) => consolidate(client, { memoryRef: refFor(bound, args), model: args.model }, args.dry_run),
  )

  addTool(
    server,
    'lineage',
    {
      title: 'Show what was made of what',
      description:
        'List what was distilled, merged or summarised in a ref, newest first, with the reason of each merge. With id, show one of them with ' +
        'its text and the texts that it was made of. Use it when the user asks why memories became one, or what an archive was made of.',
      inputSchema: inputOf(bound, {
        id: z
          .string()
          .min(1, 'must not be empty')
          .optional()
          .describe('The id of one, from this list (dst_… or cmp_…)'),
        limit: z.int().min(1).max(lineageMax).optional().describe(`How many to list; default ${lineageDefault}`),
      }),
      outputSchema: LineageOutput,
      annotations: readsOnly,
    },
    async (args) => {
      const ref = refFor(bound, args)
      if (args.id === undefined) {
        const made = await listLineage(client, ref, args.limit ?? lineageDefault)
        const lines = [made.length === 0 ? 'Nothing was distilled, merged or summarised here.' : asData(made)]
        return { structured: { note, made }, lines }
      }
      const { made, output, sources } = await lineageOf(client, ref, args.id)
      const texts = [...(output === null ? [] : [{ madeOfThem: output }]), ...sources]
      return { structured: { note, made: [made], output, sources }, lines: [asData([made, ...texts])] }
    },
  )
}

async function distill(
  client: Client,
  draft: { memoryRef: string; tokenBudget: number | undefined },
  isDryRun: boolean,
): Promise<ToolOutcome<z.input<typeof DistillOutput>>> {
  if (isDryRun) {
    const { sourceCount, tokenBudget, minimumRequired } = await client.distillations.dryRun(draft)
    const facts = { source_count: sourceCount, token_budget: tokenBudget, minimum_required: minimumRequired }
    const line = `${sourceCount} memories; the smallest budget is ${minimumRequired} tokens, this one is ${tokenBudget}.`
    return { structured: { status: 'preview', ...facts }, lines: [line] }
  }
  const { id, jobId } = await client.distillations.request(draft)
  if ((await ended(client, jobId)) === null)
    return { structured: { status: 'processing', id, job_id: jobId }, lines: [`${id} is still being made.`] }
  const made = await client.distillations.get(id)
  const { archiveId, sourceCount: source_count } = made
  const archive = await readArchive(client, made)
  if (archiveId === null || archive === null)
    return { structured: { status: 'done', id, source_count }, lines: ['There are no memories to distill.'] }
  return {
    structured: { status: 'done', note, id, archive_id: archiveId, source_count, text: archive.content },
    lines: [`${id}: ${source_count} memories, in ${archiveId}.`, asData([archive])],
  }
}

async function consolidate(
  client: Client,
  draft: { memoryRef: string; model: boolean | undefined },
  isDryRun: boolean,
): Promise<ToolOutcome<z.input<typeof ConsolidateOutput>>> {
  if (isDryRun) {
    const { inputCount: input_count, outputCount: output_count, ...plan } = await client.consolidations.dryRun(draft)
    const { questions } = plan
    const merges = plan.merges.map((merge) => ({ ...merge, sourceIds: [...merge.sourceIds] }))
    return {
      structured: {
        status: 'preview',
        input_count,
        output_count,
        merges,
        ...(questions !== undefined && { questions }),
      },
      lines: [
        `${input_count} memories would become ${output_count}.`,
        ...merges.map(({ reason, keptId, sourceIds }) => `${reason}: ${sourceIds.join(', ')}; ${keptId} stays.`),
        ...(questions === undefined ? [] : [`The model would be asked about ${questions} pairs.`]),
      ],
    }
  }
  const { jobId } = await client.consolidations.request(draft)
  const job = await ended(client, jobId)
  if (job === null)
    return { structured: { status: 'processing', job_id: jobId }, lines: [`The job ${jobId} continues.`] }
  const { inputCount = 0, outputCount = 0 } = (job.result ?? {}) as { inputCount?: number; outputCount?: number }
  const line = `${inputCount} memories became ${outputCount}. The tool lineage shows what was merged and why.`
  return { structured: { status: 'done', input_count: inputCount, output_count: outputCount }, lines: [line] }
}

/** The job when it has completed; null if it takes longer than a tool call waits. */
export async function ended(client: Client, jobId: string): Promise<Job | null> {
  const job = await waitWithin((signal) => client.jobs.wait(jobId, { signal }))
  if (job === null || job.status === 'completed') return job
  const why = job.error ? ` ${job.error.code}: ${job.error.message}` : ''
  throw new ClientError(job.error?.code ?? 'internal_error', `The job ${jobId} is ${job.status}.${why}`)
}
