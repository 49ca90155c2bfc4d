import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Client, MemoryEntry } from '../client/index.ts'
import { sha256 } from '../core/audit/digest.ts'
import { answer, text } from './answers.ts'
import { asData } from './as-data.ts'
import { type Bound, inputOf, refFor, subjectOf } from './place.ts'

/** How long a call waits for memories to be made; they are made in any case. */
const waitMsMax = 20_000

/** remember, add_conversation, forget. */
export function addWriteTools(server: McpServer, client: Client, bound: Bound): void {
  server.registerTool(
    'remember',
    {
      title: 'Remember',
      description:
        'Store one durable fact, preference, decision or instruction from the user, in one self-contained sentence that ' +
        'still makes sense in a year ("Ada prefers tea to coffee", not "she likes it"). Call it as soon as you learn ' +
        'something worth knowing later. Not for secrets, and not for what only matters now. Recall first: do not store ' +
        'what is known already.',
      inputSchema: inputOf(bound, {
        content: z.string().describe('One self-contained sentence'),
        tags: z.array(z.string()).optional().describe('A few short labels to list by; not for memories about a person'),
        expires_at: z.string().optional().describe('ISO-8601 instant after which it no longer holds'),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    (args) => answer(async () => remember(client, refFor(bound, args), args)),
  )

  if (bound.ref === null || subjectOf(bound.ref) !== null) {
    const who = bound.ref === null ? { subject: z.string().describe('Whom it is about, by a stable id') } : {}
    server.registerTool(
      'add_conversation',
      {
        title: 'Add a conversation',
        description:
          'Hand over messages of a conversation; what they say about the person is extracted, compared with what is known, ' +
          'and stored with its source. Use it at the end of a conversation instead of many calls of remember.',
        inputSchema: z.strictObject({
          ...who,
          messages: z
            .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string() }))
            .min(1)
            .describe('In order, as they were said'),
        }),
        annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      },
      (args) =>
        answer(async () => {
          const subject = bound.ref === null ? (args as { subject: string }).subject : (subjectOf(bound.ref) ?? '')
          return tell(client, { external_user_id: subject, messages: args.messages })
        }),
    )
  }

  server.registerTool(
    'forget',
    {
      title: 'Forget',
      description:
        'Delete one memory by its id. The first call only shows what would be deleted and gives a code; show that to the ' +
        'user, and when they agree call again with the code as confirm.',
      inputSchema: inputOf(bound, {
        id: z.string().describe('The id of the memory, from recall or list'),
        confirm: z.string().optional().describe('The code of the first call; leave it out in the first call'),
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    (args) => answer(async () => forget(client, refFor(bound, args), args.id, args.confirm)),
  )
}

type Told = { readonly content: string; readonly tags?: string[] | undefined; readonly expires_at?: string | undefined }

async function remember(client: Client, ref: string, { content, tags, expires_at: expiresAt }: Told) {
  const subject = subjectOf(ref)
  if (subject !== null) {
    return tell(client, { external_user_id: subject, infer: false, messages: [{ role: 'user', content }] })
  }
  const entry = await client.memory.put(ref, { content, tags, expiresAt })
  const note = entry.content === content ? [] : ['A secret was taken out before it was stored.']
  return text(`Remembered as ${entry.id}.`, ...note)
}

async function tell(client: Client, draft: Parameters<Client['memories']['add']>[0]) {
  const { job_id } = await client.memories.add(draft)
  const signal = AbortSignal.timeout(waitMsMax)
  const job = await client.memories.wait(job_id, { signal }).catch((error: unknown) => {
    if (signal.aborted) return null
    throw error
  })
  if (job === null) return text(`Taken. Memories are being made of it (job ${job_id}).`)
  if (job.status === 'dead') {
    const why = job.error === undefined ? '' : ` ${job.error.code}: ${job.error.message}`
    return { ...text(`Taken, but no memories could be made of it (job ${job_id}).${why}`), isError: true }
  }
  const { memories_created: created, memories_superseded: superseded, memories_rejected: rejected } = job
  return text(
    `Taken: ${created} new, ${superseded} replaced, ${rejected} not taken over because a weightier source says otherwise.`,
  )
}

async function forget(client: Client, ref: string, id: string, confirm: string | undefined) {
  const entry = await client.memory.get(ref, id)
  const code = confirmationOf(ref, entry)
  if (confirm !== code) {
    const intro =
      confirm === undefined ? 'Nothing is deleted yet.' : 'That is not the code of this memory as it is now.'
    return text(intro, asData([entry]), `To delete it for good, call forget again with confirm: "${code}".`)
  }
  if (subjectOf(ref) === null) await client.memory.delete(ref, id)
  else await client.memories.delete(id)
  return text(`Forgotten: ${id}.`)
}

/** Belongs to this memory as it stands: what changed since it was shown is not deleted unseen. */
function confirmationOf(ref: string, { id, content }: MemoryEntry): string {
  return sha256(JSON.stringify([ref, id, content])).slice(0, 8)
}
