import type { ReactNode } from 'react'
import { api } from '../../app/api.ts'
import { Time } from '../../ui/time.tsx'
import type { InboxItem } from './inbox-items.ts'
import { jobInWords, tiedContents, titleOf } from './inbox-words.ts'

/** What was decided, in words, and how to take it back. */
export type Done = { readonly words: string; readonly undo?: () => Promise<unknown> }

/** One way to decide an item. */
export type Choice = {
  readonly name: string
  readonly isQuoted?: boolean
  readonly note?: ReactNode
  /** Asks for a reason, which the audit log keeps. */
  readonly needsReason: boolean
  readonly decide: (reason: string) => Promise<Done>
}

const actionWords: Readonly<Record<string, string>> = { accept: 'Approve', reject: 'Reject' }

/** The ways to decide an item, in the order of their keys. */
export function choicesOf(item: InboxItem): readonly Choice[] {
  if (item.kind === 'claim') {
    const { claim } = item
    return tiedContents(claim).map(({ memoryId, content, services, priority, observedAt, sources }) => ({
      name: content,
      isQuoted: true,
      needsReason: true,
      note: (
        <>
          {services.join(', ') || 'a key'} ({priority}), observed <Time at={observedAt} short />, {sources}{' '}
          {sources === 1 ? 'source' : 'sources'}
        </>
      ),
      decide: async (reason) => {
        await api.claims.resolve(claim.id, { memoryId: memoryId as string, reason })
        const undo = () => api.claims.resolve(claim.id, { unpin: true, reason: 'Undone in the inbox.' })
        return { words: `Pinned: “${content.slice(0, 80)}”.`, undo }
      },
    }))
  }
  if (item.kind === 'question') {
    const { run, interrupt } = item
    const actions = Array.isArray(interrupt.data.actions) ? (interrupt.data.actions as unknown[]).map(String) : []
    return actions
      .filter((action) => action in actionWords)
      .map((action) => ({
        name: actionWords[action] ?? action,
        needsReason: false,
        decide: async () => {
          await api.interrupts.answer(run.runId, interrupt.nodeId, { action })
          return { words: `Answered ${action}: ${titleOf(item)}.` }
        },
      }))
  }
  if (item.kind === 'quarantine') {
    const { id, version } = item.memory
    return (['release', 'reject'] as const).map((verb) => ({
      name: verb === 'release' ? 'Release: it is verified from now on' : 'Reject: it ends',
      needsReason: true,
      decide: async (reason) => {
        await api.quarantine[verb](id, { reason, version })
        return { words: `${verb === 'release' ? 'Released' : 'Rejected'}: “${item.memory.content.slice(0, 80)}”.` }
      },
    }))
  }
  const { job } = item
  return [
    {
      name: 'Retry',
      needsReason: false,
      decide: async () => {
        await api.jobs.retry(job.id)
        return { words: `Queued again: ${jobInWords(job)}.` }
      },
    },
  ]
}
