import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Client, MemoryEntry } from '../client/index.ts'
import type { SourceWriter } from '../client/source-writer.ts'
import { sha256 } from '../core/audit/digest.ts'
import { type Trust, trustClasses } from '../core/entries/trust.ts'
import { asData } from './as-data.ts'
import { type BoundRef, inputOf, refFor, subjectOf } from './bound-ref.ts'
import type { CallSource, ToolCall } from './source-of-call.ts'
import { runTool, text } from './tool-results.ts'

/** How long a tool call waits for an ingest job. The job continues after that. */
const waitMsMax = 20_000

const loweredTrust = z
  .enum(trustClasses)
  .optional()
  .describe('untrusted for text from a tool, a web page or a document, so that a person can check it first')

/** remember, add_conversation, forget. */
export function addWriteTools(server: McpServer, client: Client, bound: BoundRef, source: CallSource): void {
  server.registerTool(
    'remember',
    {
      title: 'Remember',
      description:
        'Store one durable fact, preference, decision or instruction from the user, in one self-contained sentence that ' +
        'still makes sense in a year ("Ada prefers tea to coffee", not "she likes it"). Call it as soon as you learn ' +
        'something that is useful later. Do not store secrets, or facts that matter only now. Call recall first: do not ' +
        'store what is known already.',
      inputSchema: inputOf(bound, {
        content: z.string().describe('One self-contained sentence'),
        tags: z
          .array(z.string())
          .optional()
          .describe('A few short labels to filter by; not for memories about a person'),
        expires_at: z.string().optional().describe('ISO-8601 instant at which the memory expires'),
        trust: loweredTrust,
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    (args, context) =>
      runTool(async () => {
        const memory = { ...args, readers: bound.readers }
        return remember(client, source.of('remember', context), refFor(bound, args), memory)
      }),
  )

  if (bound.ref === null || subjectOf(bound.ref) !== null) {
    const who = bound.ref === null ? { subject: z.string().describe('The stable id of the person it is about') } : {}
    server.registerTool(
      'add_conversation',
      {
        title: 'Add a conversation',
        description:
          'Send the messages of a conversation. Facts about the person are extracted, compared with the known ones, and ' +
          'stored with their source. Use it at the end of a conversation instead of many calls of remember.',
        inputSchema: z.strictObject({
          ...who,
          messages: z
            .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string() }))
            .min(1)
            .describe('The messages, oldest first'),
          trust: loweredTrust,
        }),
        annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      },
      (args, context) =>
        runTool(async () => {
          const subject = bound.ref === null ? (args as { subject: string }).subject : (subjectOf(bound.ref) ?? '')
          const draft = { external_user_id: subject, messages: args.messages, trust: args.trust }
          return ingest(client, source.of('add_conversation', context), { ...draft, ...restrictedTo(bound.readers) })
        }),
    )
  }

  server.registerTool(
    'forget',
    {
      title: 'Forget',
      description:
        'Delete one memory by its id. The first call only shows the memory and returns a code. Show it to the user. If the ' +
        'user agrees, call again with the code as confirm.',
      inputSchema: inputOf(bound, {
        id: z.string().describe('The id of the memory, from recall or list'),
        confirm: z.string().optional().describe('The code that the first call returned; omit it in the first call'),
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    (args) => runTool(async () => forget(client, refFor(bound, args), args.id, args.confirm)),
  )
}

type MemoryToStore = {
  readonly content: string
  readonly tags?: string[] | undefined
  readonly expires_at?: string | undefined
  readonly trust?: Trust | undefined
  readonly readers: BoundRef['readers']
}

function restrictedTo(readers: BoundRef['readers']): { readers?: string[] } {
  return readers === undefined ? {} : { readers: [...readers] }
}

async function remember(client: Client, { writer, call }: ToolCall, ref: string, memory: MemoryToStore) {
  const { content, tags, expires_at: expiresAt, trust } = memory
  const restricted = restrictedTo(memory.readers)
  const subject = subjectOf(ref)
  if (subject !== null) {
    const messages = [{ role: 'user' as const, content }]
    const draft = { external_user_id: subject, infer: false as const, trust, messages, ...restricted }
    return ingest(client, { writer, call }, draft)
  }
  const draft = { content, tags, expiresAt, trust, ...restricted }
  const { entries } = await writer.write(ref, { entries: [draft] }, call)
  const [entry] = entries
  if (entry === undefined) return text('It was remembered before, and deleted since.')
  const note = entry.content === content ? [] : ['A secret was redacted before it was stored.']
  return text(`Remembered as ${entry.id}.`, ...note)
}

async function ingest(client: Client, { writer, call }: ToolCall, draft: Parameters<SourceWriter['add']>[0]) {
  const { job_id } = await writer.add(draft, call)
  const signal = AbortSignal.timeout(waitMsMax)
  const job = await client.memories.wait(job_id, { signal }).catch((error: unknown) => {
    if (signal.aborted) return null
    throw error
  })
  if (job === null) return text(`Accepted. The memories are still being extracted (job ${job_id}).`)
  if (job.status === 'dead') {
    const why = job.error === undefined ? '' : ` ${job.error.code}: ${job.error.message}`
    return { ...text(`Accepted, but the memories could not be extracted (job ${job_id}).${why}`), isError: true }
  }
  const { memories_created: created, memories_superseded: superseded, memories_rejected: rejected } = job
  return text(`Stored: ${created} created, ${superseded} superseded, ${rejected} rejected.`)
}

async function forget(client: Client, ref: string, id: string, confirm: string | undefined) {
  const entry = await client.memory.get(ref, id)
  const code = confirmationOf(ref, entry)
  if (confirm !== code) {
    const intro =
      confirm === undefined ? 'Nothing is deleted yet.' : 'This code does not match the memory as it is now.'
    return text(intro, asData([entry]), `To delete it, call forget again with confirm: "${code}".`)
  }
  if (subjectOf(ref) === null) await client.memory.delete(ref, id)
  else await client.memories.delete(id)
  return text(`Deleted: ${id}.`)
}

/** The code of this memory with this content. If the memory changes after it was shown, the code does not match. */
function confirmationOf(ref: string, { id, content }: MemoryEntry): string {
  return sha256(JSON.stringify([ref, id, content])).slice(0, 8)
}
