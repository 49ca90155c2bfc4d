import type { Command } from 'commander'
import type { AddDraft, IngestJob } from '../../client/index.ts'
import type { Category } from '../../core/provenance/category.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { failUnlessCompleted, notePendingJob, waitOption } from '../job-outcome.ts'
import { action } from '../run.ts'
import { readInput } from '../text-input.ts'

type AddOptions = {
  service?: string
  event?: string
  observedAt?: string
  verbatim?: true
  category?: Category
  claimKey?: string
  agent?: string
  wait?: true
}

/** Without --wait it prints the job's id, and nothing else on standard output: `job=$(colophon add ada 'I prefer tea.')`. */
export function addAddCommand(program: Command): void {
  program
    .command('add <user> [message]')
    .description('tell something about a user; without a message, read it from standard input')
    .option('--service <key>', 'the registered service that tells it; needs --event')
    .option('--event <id>', 'what the service calls this event; the same event again changes nothing')
    .option('--observed-at <instant>', 'when the service saw it (now without this)')
    .option('--verbatim', 'remember the message as it is, instead of what it says')
    .option('--category <category>', 'with --verbatim: what kind of thing it is')
    .option('--claim-key <key>', 'with --verbatim: the slot it speaks about, such as ui.theme')
    .option('--agent <id>', 'the agent it was told to')
    .option(...waitOption)
    .action(
      action<AddOptions>(async ({ client, output, isEmbedded }, [user = '', message], options) => {
        checkOptions(options)
        const added = await client.memories.add(toDraft(user, message ?? (await readInput('message')), options))
        if (options.wait !== true) {
          output.show(added, () => added.job_id)
          notePendingJob(added.job_id, isEmbedded)
          return
        }
        const job = await client.memories.wait(added.job_id)
        output.show(job, () => (job.status === 'completed' ? describe(job) : job.job_id))
        failUnlessCompleted(job.job_id, job)
      }),
    )
}

/** The server would take these for parts of the message that it does not know, and not say a word. */
function checkOptions({ service, event, observedAt, verbatim, category, claimKey }: AddOptions): void {
  const wrong = (message: string) => new CliError(message, exitCodes.usage)
  if ((category !== undefined || claimKey !== undefined) && !verbatim)
    throw wrong('--category and --claim-key need --verbatim: otherwise they are found in the message.')
  if (service !== undefined && event === undefined)
    throw wrong('--service needs --event: the name of the event makes it safe to tell it again.')
  if (service === undefined && (event !== undefined || observedAt !== undefined))
    throw wrong('--event and --observed-at need --service: they say what a service saw.')
}

function toDraft(user: string, content: string, options: AddOptions): AddDraft {
  const { service, event = '', observedAt, verbatim, category, claimKey, agent } = options
  return {
    external_user_id: user,
    messages: [{ role: 'user', content, category, claim_key: claimKey }],
    infer: verbatim !== true,
    agent_id: agent,
    ...(service === undefined ? {} : { source: { service, event_id: event, observed_at: observedAt } }),
  }
}

function describe(job: IngestJob): string {
  const { job_id, memories_created: created, memories_superseded: superseded, memories_rejected: rejected } = job
  return `${job_id} is completed: ${created} created, ${superseded} superseded, ${rejected} rejected`
}
