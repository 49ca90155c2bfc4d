import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Client, MemoryEntry } from '../client/index.ts'
import { sha256 } from '../core/audit/digest.ts'
import { trustClasses } from '../core/entries/trust.ts'
import { personOfRef } from '../core/people/spelling.ts'
import { byRole, toSaidMessage } from '../core/provenance/said-by.ts'
import { asData, dataNote } from './as-data.ts'
import { type BoundRef, inputOf, refFor } from './bound-ref.ts'
import { ForgetOutput, StoreOutput } from './output-schemas.ts'
import type { CallSource } from './source-of-call.ts'
import { ingest, remember } from './store-memories.ts'
import { addsOnly, addTool, deletes, type ToolOutcome } from './tools.ts'

const loweredTrust = z
  .enum(trustClasses)
  .optional()
  .describe('untrusted for text from a tool, a web page or a document, so that a person can check it first')

const alwaysInclude = z
  .boolean()
  .optional()
  .describe(
    'true only if the user asks that this is known in every conversation; for memories about a person, with a key that has memory:admin',
  )

/** Only memories of a ref have tags and an expiry: a connection that is bound to a person has no arguments for them. */
const ofRefsOnly = {
  tags: z.array(z.string()).optional().describe('A few short labels to filter by; not for memories about a person'),
  expires_at: z
    .string()
    .optional()
    .describe('ISO-8601 instant at which the memory expires; not for memories about a person'),
}

/** remember, add_conversation, forget. */
export function addWriteTools(server: McpServer, client: Client, bound: BoundRef, source: CallSource): void {
  const isPerson = bound.ref !== null && personOfRef(bound.ref) !== null
  addTool(
    server,
    'remember',
    {
      title: 'Remember',
      description:
        'Store one durable fact, preference, decision or instruction from the user, in one self-contained sentence that ' +
        'still makes sense in a year ("Ada prefers tea to coffee", not "she likes it"). Call it as soon as you learn ' +
        'something that is useful later. Do not store secrets, or facts that matter only now. Call recall first: do not ' +
        'store what is known already.',
      inputSchema: inputOf(bound, {
        content: z.string().min(1, 'must not be empty').describe('One self-contained sentence'),
        ...(isPerson ? ({} as typeof ofRefsOnly) : ofRefsOnly),
        trust: loweredTrust,
        always_include: alwaysInclude,
      }),
      outputSchema: StoreOutput,
      annotations: addsOnly,
      argumentNames: {
        'messages[0].always_include': 'always_include',
        'messages.always_include': 'always_include',
        external_user_id: 'ref',
        'messages[0].content': 'content',
        messages: 'content',
      },
    },
    async (args, context) =>
      remember(client, source.of('remember', context), refFor(bound, args), { ...args, readers: bound.readers }),
  )

  if (bound.ref === null || isPerson) {
    const who =
      bound.ref === null
        ? { subject: z.string().min(1, 'must not be empty').describe('The stable id of the person it is about') }
        : {}
    addTool(
      server,
      'add_conversation',
      {
        title: 'Add a conversation',
        description:
          'Send the messages of a conversation. Facts about the person are extracted, compared with the known ones, and ' +
          'stored with their source. Use it at the end of a conversation instead of many calls of remember.',
        inputSchema: z.strictObject({
          ...(who as { subject: z.ZodString }),
          messages: z
            .array(
              z.strictObject({
                role: z
                  .enum(['user', 'assistant', 'tool'])
                  .describe('tool for what a tool, a web page or a document says: it is stored as untrusted'),
                content: z.string().min(1, 'must not be empty'),
              }),
            )
            .min(1, 'must not be empty')
            .describe('The messages, oldest first'),
          trust: loweredTrust,
        }),
        outputSchema: StoreOutput,
        annotations: addsOnly,
      },
      async (args, context) => {
        const subject = bound.ref === null ? args.subject : (personOfRef(bound.ref) ?? '')
        const messages = args.messages.map(({ role, content }) => toSaidMessage(byRole(role), content))
        const draft = { external_user_id: subject, messages, trust: args.trust }
        return ingest(client, source.of('add_conversation', context), draft, bound.readers)
      },
    )
  }

  addTool(
    server,
    'forget',
    {
      title: 'Forget',
      description:
        'Delete one memory by its id. The first call only shows the memory and returns a code. Show it to the user. If the ' +
        'user agrees, call again with the code as confirm.',
      inputSchema: inputOf(bound, {
        id: z.string().min(1, 'must not be empty').describe('The id of the memory, from recall or list'),
        confirm: z.string().optional().describe('The code that the first call returned; omit it in the first call'),
      }),
      outputSchema: ForgetOutput,
      annotations: deletes,
    },
    async (args) => forget(client, refFor(bound, args), args.id, args.confirm),
  )
}

async function forget(
  client: Client,
  ref: string,
  id: string,
  confirm: string | undefined,
): Promise<ToolOutcome<z.input<typeof ForgetOutput>>> {
  const entry = await client.memory.get(ref, id)
  const code = confirmationOf(ref, entry)
  if (confirm !== code) {
    const intro =
      confirm === undefined ? 'Nothing is deleted yet.' : 'This code does not match the memory as it is now.'
    const memory = { ...entry, tags: [...entry.tags] }
    return {
      structured: { status: 'confirmation_needed', id, note: dataNote, memory, confirm: code },
      lines: [intro, asData([entry]), `To delete it, call forget again with confirm: "${code}".`],
    }
  }
  if (personOfRef(ref) === null) await client.memory.delete(ref, id)
  else await client.memories.delete(id)
  return { structured: { status: 'deleted', id }, lines: [`Deleted: ${id}.`] }
}

/** The code of this memory with this content. If the memory changes after it was shown, the code does not match. */
function confirmationOf(ref: string, { id, content }: MemoryEntry): string {
  return sha256(JSON.stringify([ref, id, content])).slice(0, 8)
}
