import type { Command } from 'commander'
import { type Client, type EntryColophon, isClientError, type Memory } from '../../client/index.ts'
import { action } from '../action.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { printable, table } from '../output.ts'

type StoryStep = EntryColophon['story'][number]

type Trace = {
  readonly id: string
  readonly memoryRef: string | null
  readonly status: Memory['status'] | 'gone'
  readonly content: string | null
  readonly trust: EntryColophon['trust'] | null
  readonly quarantined?: true
  readonly claimId: string | null
  readonly headline: string | null
  readonly audit: EntryColophon['audit']
  readonly story: readonly StoryStep[]
}

/** trace: the story of one entry, written by a service, a client or a run. */
export function addTraceCommand(program: Command): void {
  program
    .command('trace <id>')
    .description('show the provenance of an entry: each step with its time, actor and audit position')
    .option('--format <format>', 'prov: print a document in W3C PROV-JSON, without any text of the memory')
    .action(
      action<{ format?: string }>(async ({ client, output }, [id = ''], { format }) => {
        if (format !== undefined) {
          if (format !== 'prov') throw new CliError('--format must be prov.', exitCodes.usage)
          const { memory_ref: memoryRef } = await client.memories.get(id)
          const document = await client.memory.prov(memoryRef, id)
          output.show(document, () => JSON.stringify(document, null, 2))
          return
        }
        const trace = await traceOf(client, id)
        output.show(trace, () => describe(trace))
      }),
    )
}

async function traceOf(client: Client, id: string): Promise<Trace> {
  const memory = await orNull(client.memories.get(id))
  const colophon = memory && (await orNull(client.memory.colophon(memory.memory_ref, memory.id)))
  return {
    id,
    memoryRef: memory?.memory_ref ?? null,
    status: memory?.status ?? 'gone',
    content: memory?.content ?? null,
    trust: memory?.trust ?? null,
    ...(memory?.quarantined ? { quarantined: true } : {}),
    claimId: colophon?.claimId ?? null,
    headline: colophon?.headline ?? null,
    audit: colophon?.audit ?? null,
    story: colophon?.story ?? (await fromHistory(client, id)),
  }
}

/** An entry that has ended has no colophon, but its versions are still in the history. */
async function fromHistory(client: Client, id: string): Promise<StoryStep[]> {
  const { data } = await client.memories.history(id)
  return data.map(({ version_number: version, change_type: change, change_reason: reason, actor, created_at: at }) => {
    const isBeginning = change === 'created' || change === 'edited' || change === 'reactivated'
    const why = reason === null || reason === change ? '' : ` (${reason})`
    return {
      step: isBeginning ? 'version' : change === 'confirmed' ? 'told' : change === 'redacted' ? 'redacted' : 'ended',
      at,
      text: `Version ${version} was ${change}${why} by ${actor}.`,
      details: { version, actor, change },
    }
  })
}

async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch((error: unknown) => {
    if (isClientError(error) && error.status === 404) return null
    throw error
  })
}

function describe({ id, memoryRef, status, content, headline, trust, quarantined, story }: Trace): string {
  const rows = story.map(({ at, position, step, details, text }) => [
    at,
    position === undefined ? '' : String(position),
    step,
    actorOf(details),
    text,
  ])
  const title = memoryRef === null ? `${id} is ${status}` : `${id} in ${memoryRef} is ${status}`
  return [
    printable(title),
    ...(content === null ? [] : [printable(content)]),
    ...(headline === null ? [] : [printable(headline)]),
    ...(trust === null ? [] : [`trust: ${trust}${quarantined ? ', in quarantine' : ''}`]),
    table(['when', 'position', 'step', 'actor', 'event'], rows),
  ].join('\n')
}

/** The source service of a step, the actor that started its run, or its own actor. */
function actorOf(details: StoryStep['details']): string {
  const { service } = (details.provenance ?? {}) as { service?: unknown }
  const actor = [service, details.service, details.startedBy, details.actor].find((name) => typeof name === 'string')
  return typeof actor === 'string' ? actor : ''
}
