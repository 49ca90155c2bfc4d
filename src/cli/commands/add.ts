import type { Command } from 'commander'
import type { AddDraft, IngestJob } from '../../client/index.ts'
import type { Trust } from '../../core/entries/trust.ts'
import type { Category } from '../../core/provenance/category.ts'
import { action } from '../action.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { failUnlessCompleted, notePendingJob, waitOption } from '../job-outcome.ts'
import { parseReaders, readersOption } from '../readers-option.ts'
import { readInput } from '../text-input.ts'
import { trustOption } from '../trust-options.ts'

type AddOptions = {
  service?: string
  event?: string
  observedAt?: string
  verbatim?: true
  category?: Category
  claimKey?: string
  alwaysInclude?: true
  agent?: string
  trust?: Trust
  readers?: string
  wait?: true
}

/** Without --wait, standard output is only the id of the job: `job=$(colophon add ada 'I prefer tea.')`. */
export function addAddCommand(program: Command): void {
  program
    .command('add <user> [message]')
    .description('add memories about a user from a message; without a message, read it from standard input')
    .option('--service <key>', 'the registered source service; needs --event')
    .option('--event <id>', 'the id of the event in that service; resending an event stores nothing twice')
    .option('--observed-at <instant>', 'when the service observed it (default: now)')
    .option('--verbatim', 'store the message as it is, instead of extracting memories from it')
    .option('--category <category>', 'with --verbatim: the category of the memory')
    .option('--claim-key <key>', 'with --verbatim: the claim key of the memory, such as ui.theme')
    .option('--always-include', 'with --verbatim: in every prompt about the user; needs the scope memory:admin')
    .option('--agent <id>', 'the agent that the memories are for')
    .option(...trustOption)
    .option(...readersOption)
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

/** The server would ignore these options as unknown members of the message, so they are refused here. */
function checkOptions({ service, event, observedAt, verbatim, category, claimKey, alwaysInclude }: AddOptions): void {
  const wrong = (message: string) => new CliError(message, exitCodes.usage)
  if ((category !== undefined || claimKey !== undefined) && !verbatim)
    throw wrong('--category and --claim-key need --verbatim: without it, they are extracted from the message.')
  if (alwaysInclude && !verbatim)
    throw wrong('--always-include needs --verbatim. For an extracted memory: memories edit ID --always-include.')
  if (service !== undefined && event === undefined)
    throw wrong('--service needs --event: with the event id, the command can be repeated safely.')
  if (service === undefined && (event !== undefined || observedAt !== undefined))
    throw wrong('--event and --observed-at need --service: they describe an event of a service.')
}

function toDraft(user: string, content: string, options: AddOptions): AddDraft {
  const {
    service,
    event = '',
    observedAt,
    verbatim,
    category,
    claimKey,
    alwaysInclude,
    agent,
    trust,
    readers,
  } = options
  return {
    external_user_id: user,
    messages: [{ role: 'user', content, category, claim_key: claimKey, always_include: alwaysInclude }],
    infer: verbatim !== true,
    agent_id: agent,
    trust,
    ...parseReaders(readers),
    ...(service === undefined ? {} : { source: { service, event_id: event, observed_at: observedAt } }),
  }
}

function describe(job: IngestJob): string {
  const { job_id, memories_created: created, memories_superseded: superseded, memories_rejected: rejected } = job
  const { memories_unmarked: unmarked = 0, decided = [], why } = job
  const left = unmarked === 0 ? '' : `, ${unmarked} without always_include (the subject has as many as it may)`
  const counts = `${created} created, ${superseded} superseded, ${rejected} rejected${left}`
  // A job of an earlier server does not say what it decided.
  const others = decided.filter(({ outcome, quarantined }) => outcome !== 'current' || quarantined)
  const lines = others.map(({ outcome, memory_id, why }) => `${[outcome, memory_id ?? []].flat().join(' ')}: ${why}`)
  return [`${job_id} is completed: ${counts}`, lines.length === 0 ? (why ?? []) : lines].flat().join('\n')
}
