import { useQueries } from '@tanstack/react-query'
import type { Claim, Job, QuarantinePage, RunSnapshot as Run } from '../../../../src/client/index.ts'
import { isClientError } from '../../../../src/client/index.ts'
import { deliveryJobKind } from '../../../../src/core/webhooks/coalesced-delivery.ts'
import { api } from '../../app/api.ts'

export type Quarantined = QuarantinePage['memories'][number]
type Interrupt = NonNullable<Run['interrupt']>

/** What waits for a person. */
export type InboxItem =
  | { readonly kind: 'claim'; readonly id: string; readonly claim: Claim }
  | { readonly kind: 'question'; readonly id: string; readonly run: Run; readonly interrupt: Interrupt }
  | { readonly kind: 'job' | 'delivery'; readonly id: string; readonly job: Job }
  | { readonly kind: 'quarantine'; readonly id: string; readonly memory: Quarantined }

export function scopeToDecide({ kind }: InboxItem): 'approvals:respond' | 'memory:admin' {
  return kind === 'question' ? 'approvals:respond' : 'memory:admin'
}

/** More of a kind than a person decides at one sitting: the screens of the kinds have all. */
const shownMax = 50
/** Runs and jobs change without a change of memory. */
const refetchMs = 10_000

/** Everything that waits, claims and questions first. Kinds for which the key lacks the scope are named in `hidden`. */
export function useInbox() {
  const results = useQueries({
    queries: [
      {
        queryKey: ['live', 'inbox', 'claims'],
        queryFn: async ({ signal }: Signal): Promise<readonly InboxItem[]> => {
          const { claims } = await api.claims.list({ status: 'contested', limit: shownMax }, { signal })
          return claims.map((claim) => ({ kind: 'claim', id: claim.id, claim }))
        },
      },
      {
        queryKey: ['live', 'inbox', 'questions'],
        refetchInterval: refetchMs,
        queryFn: ({ signal }: Signal): Promise<readonly InboxItem[]> => openQuestions(signal),
      },
      {
        queryKey: ['live', 'inbox', 'jobs'],
        refetchInterval: refetchMs,
        queryFn: async ({ signal }: Signal): Promise<readonly InboxItem[]> => {
          const { jobs } = await api.jobs.list({ status: 'dead', limit: shownMax }, { signal })
          return jobs.map((job) => ({ kind: job.kind === deliveryJobKind ? 'delivery' : 'job', id: job.id, job }))
        },
      },
      {
        queryKey: ['live', 'inbox', 'quarantine'],
        queryFn: async ({ signal }: Signal): Promise<readonly InboxItem[]> => {
          const { memories } = await api.quarantine.list({ limit: shownMax }, { signal })
          return memories.map((memory) => ({ kind: 'quarantine', id: memory.id, memory }))
        },
      },
    ],
  })
  const kinds = ['contested claims', 'approvals', 'dead jobs', 'quarantined memories']
  const isRefused = (error: unknown) => isClientError(error) && error.status === 403
  const failed = results.find(({ isError, error }) => isError && !isRefused(error))
  const hidden = kinds.filter((_, index) => isRefused(results[index]?.error))
  const items = results.flatMap(({ data = [] }) => data).sort((a, b) => rank[a.kind] - rank[b.kind])
  return { items, hidden, isPending: results.some(({ isPending }) => isPending), failed: failed?.error ?? null }
}

type Signal = { readonly signal: AbortSignal }

const rank = { claim: 0, question: 1, job: 2, delivery: 3, quarantine: 4 } as const

async function openQuestions(signal: AbortSignal): Promise<readonly InboxItem[]> {
  const lists = await Promise.all(
    (['waiting-approval', 'waiting-input'] as const).map((status) =>
      api.runs.list({ status, limit: shownMax }, { signal }),
    ),
  )
  const runs = await Promise.all(lists.flatMap((list) => list.runs).map(({ runId }) => api.runs.get(runId, { signal })))
  return runs.flatMap((run) =>
    run.interrupt === undefined ? [] : [{ kind: 'question' as const, id: run.runId, run, interrupt: run.interrupt }],
  )
}
