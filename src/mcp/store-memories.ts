import type { z } from 'zod'
import { type Client, ClientError } from '../client/index.ts'
import type { SourceWriter } from '../client/source-writer.ts'
import type { Trust } from '../core/entries/trust.ts'
import { limits } from '../core/limits.ts'
import { personOfRef } from '../core/people/spelling.ts'
import { markOf } from '../core/provenance/said-by.ts'
import type { BoundRef } from './bound-ref.ts'
import type { StoreOutput } from './output-schemas.ts'
import type { ToolCall } from './source-of-call.ts'
import type { ToolOutcome } from './tools.ts'
import { waitWithin } from './wait-within.ts'

type Stored = ToolOutcome<z.input<typeof StoreOutput>>

type MemoryToStore = {
  readonly content: string
  readonly tags?: string[] | undefined
  readonly expires_at?: string | undefined
  readonly trust?: Trust | undefined
  readonly always_include?: boolean | undefined
  readonly readers: BoundRef['readers']
}

/** Stores one memory of a ref, or about a person, and returns its id. */
export async function remember(
  client: Client,
  toolCall: ToolCall,
  ref: string,
  memory: MemoryToStore,
): Promise<Stored> {
  const { content, tags, expires_at: expiresAt, trust } = memory
  const subject = personOfRef(ref)
  if (subject !== null) {
    for (const name of ['tags', 'expires_at'] as const)
      if (memory[name] !== undefined)
        throw new ClientError('validation_error', `${name} must be omitted for memories about a person.`)
    // The model says what it remembers: it may have read it somewhere.
    const messages = [{ role: 'assistant' as const, content, always_include: memory.always_include }]
    return ingest(client, toolCall, { external_user_id: subject, infer: false, trust, messages }, memory.readers)
  }
  if (memory.always_include !== undefined)
    throw new ClientError('validation_error', 'always_include must be omitted: only prompts about a person have it.')
  const said = [...(tags ?? []), ...markOf('model').tags]
  const draft = { content, tags: said, expiresAt, trust, ...restrictedTo(memory.readers) }
  const { entries } = await toolCall.writer.write(ref, { entries: [draft] }, toolCall.call)
  const [entry] = entries
  if (entry === undefined)
    return { structured: { status: 'deleted_since', ids: [] }, lines: ['It was remembered before, and deleted since.'] }
  const redacted = entry.content !== content
  const note = redacted ? ['A secret was redacted before it was stored.'] : []
  return {
    structured: { status: 'stored', ids: [entry.id], redacted },
    lines: [`Remembered as ${entry.id}.`, ...note],
  }
}

/** Sends messages about a person, and waits until they are stored. */
export async function ingest(
  client: Client,
  { writer, call }: ToolCall,
  draft: Parameters<SourceWriter['add']>[0],
  readers: BoundRef['readers'],
): Promise<Stored> {
  const { job_id } = await writer.add({ ...draft, ...restrictedTo(readers) }, call)
  const job = await waitWithin((signal) => client.memories.wait(job_id, { signal }))
  if (job === null) {
    const lines = [`Accepted. The memories are still being extracted (job ${job_id}).`]
    return { structured: { status: 'processing', ids: [], job_id }, lines }
  }
  if (job.status === 'dead') {
    const why = job.error === undefined ? '' : ` ${job.error.code}: ${job.error.message}`
    const message = `Accepted, but the memories could not be extracted (job ${job_id}).${why}`
    throw new ClientError(job.error?.code ?? 'internal_error', message)
  }
  const { memories_created: created, memories_superseded: superseded, memories_rejected: rejected } = job
  const { decided = [], why } = job
  const lost = decided.filter(({ outcome, quarantined }) => outcome !== 'current' || quarantined)
  const reasons = lost.length === 0 ? [why ?? []].flat() : lost.map(({ outcome, why }) => `${outcome}: ${why}`)
  const ids = await idsOf(client, draft, call.id)
  const named = ids.length === 0 ? [] : [`Ids: ${ids.join(', ')}.`]
  return {
    structured: {
      ...{ status: 'stored', ids, created, superseded, rejected, job_id },
      ...(job.decided === undefined ? {} : { decided: [...decided] }),
      ...(why === undefined ? {} : { why }),
    },
    lines: [`Stored: ${created} created, ${superseded} superseded, ${rejected} rejected.`, ...reasons, ...named],
  }
}

/**
 * The newest memories that this source event stated, oldest first. A text that was known before keeps its id, and its first event.
 * The memories are stored already, so a failed read is no failed call.
 */
async function idsOf(client: Client, draft: Parameters<SourceWriter['add']>[0], eventId: string): Promise<string[]> {
  const query = {
    external_user_id: draft.external_user_id,
    limit: limits.memoriesPageMax,
    trust_min: 'untrusted',
  } as const
  const { data } = await client.memories.list(query).catch(() => ({ data: [] }))
  const known = draft.infer === false ? draft.messages.map(({ content }) => content) : []
  return data
    .filter(({ provenance, content }) => provenance?.event_id === eventId || known.includes(content))
    .map(({ id }) => id)
    .reverse()
}

function restrictedTo(readers: BoundRef['readers']): { readers?: string[] } {
  return readers === undefined ? {} : { readers: [...readers] }
}
