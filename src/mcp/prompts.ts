import { completable, type GetPromptResult, type McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Client } from '../client/index.ts'
import { personOfRef } from '../core/people/spelling.ts'
import { visibleText } from '../core/visible-text.ts'
import { asData } from './as-data.ts'
import { type BoundRef, refFor, refOfSubject } from './bound-ref.ts'
import { type Complete, completeRefs, completeSubjects } from './completions.ts'
import { describeError } from './describe-error.ts'
import { changesSince } from './prompt-changes.ts'
import { traceOf } from './trace.ts'

const memoriesShown = 50
const sourcesShown = 3

/** Prompts that a person chooses in the client. Each brings the memories that it asks about, as data. */
export function addPrompts(server: McpServer, client: Client, bound: BoundRef): void {
  const refArgument = bound.ref === null ? { ref: completed('The memoryRef', completeRefs(client)) } : {}
  const withRef = refArgument as { ref: z.ZodString }

  if (bound.ref === null || personOfRef(bound.ref) !== null) {
    const who = bound.ref === null ? { subject: completed('The id of the person', completeSubjects(client)) } : {}
    server.registerPrompt(
      'recall_person',
      {
        title: 'Recall a person',
        description: 'What is known about a person, and how well.',
        argsSchema: z.object(who as { subject: z.ZodString }),
      },
      ({ subject }) =>
        prompt(async () => {
          const ref = bound.ref ?? refOfSubject(subject)
          const { entries, trust } = await client.memory.list(ref, { limit: memoriesShown })
          return [
            `Summarise what is known about ${personOfRef(ref)}. Group it by topic. Name what is uncertain, old or contradictory, and ` +
              'what is not known. Use only these memories:',
            asData(entries.map((entry) => ({ ...entry, trust: trust?.[entry.id] ?? 'agent' }))),
          ]
        }),
    )
  }

  server.registerPrompt(
    'why_do_we_believe',
    {
      title: 'Why do we believe this?',
      description: 'The sources of a statement: who said it, when, and what else was said.',
      argsSchema: z.object({ ...withRef, statement: z.string().min(1).describe('The statement in question') }),
    },
    ({ statement, ...args }) =>
      prompt(async () => {
        const ref = refFor(bound, args)
        const { results } = await client.memory.search(ref, statement, { limit: sourcesShown })
        const sources = results.map(async ({ entry }) => ({
          memory: entry,
          provenance: await traceOf(client, ref, entry.id),
        }))
        return [
          `Why do we believe this: ${JSON.stringify(statement)}? Say which memories support it or contradict it, which service ` +
            'stated each, when, and what it replaced. If no memory supports it, say so. These memories are the closest:',
          asData(await Promise.all(sources)),
        ]
      }),
  )

  server.registerPrompt(
    'what_changed_since',
    {
      title: 'What changed since?',
      description: 'Memories that were added, changed or ended since a moment.',
      argsSchema: z.object({ ...withRef, since: z.string().min(1).describe('An ISO-8601 instant, or a position') }),
    },
    ({ since, ...args }) =>
      prompt(async () => {
        const { changes, isComplete } = await changesSince(client, refFor(bound, args), since)
        return [
          `Summarise what changed in this memory since ${JSON.stringify(since)}: what is new, what is different, what is gone.`,
          ...(isComplete ? [] : ['Only the newest memories were compared: older changes may be missing. Say so.']),
          asData(changes),
        ]
      }),
  )
}

function completed(description: string, complete: Complete): z.ZodString {
  return completable(z.string().min(1).describe(description), complete)
}

async function prompt(lines: () => Promise<readonly string[]>): Promise<GetPromptResult> {
  const text = await lines().catch((error: unknown) => {
    throw new Error(describeError(error, { asOf: 'since' }))
  })
  return { messages: [{ role: 'user', content: { type: 'text', text: visibleText(text.join('\n')) } }] }
}
