import { runKeyOf, toRunSummary } from '../../core/run/run.ts'
import type { RunStore } from '../../ports/run-store.ts'
import type { TenantState } from './tenant-state.ts'

export function modelRuns(tenants: Map<string, TenantState>, use: () => void): RunStore {
  const runsOf = (tenantId: string): TenantState['runs'] => {
    use()
    return tenants.get(tenantId)?.runs ?? new Map()
  }
  return {
    async get(tenantId, runId) {
      return runsOf(tenantId).get(runId)?.run ?? null
    },
    async logStatus(tenantId, runId) {
      const run = runsOf(tenantId).get(runId)?.run
      return run ? { status: run.status, nextSequence: run.nextSequence } : null
    },
    async list({ tenantId, status, workflowId, after, limit }) {
      return [...runsOf(tenantId).values()]
        .map(({ run }) => run)
        .filter((run) => status === null || run.status === status)
        .filter((run) => workflowId === null || run.workflowId === workflowId)
        .filter((run) => after === null || run.runId < after)
        .sort((a, b) => (a.runId < b.runId ? 1 : -1))
        .slice(0, limit)
        .map(toRunSummary)
    },
    async events({ tenantId, runId, from, limit }) {
      const events = runsOf(tenantId).get(runId)?.events ?? []
      return events.filter(({ sequence }) => sequence >= from).slice(0, limit)
    },
    async calls({ tenantId, runId, from, limit }) {
      const calls = runsOf(tenantId).get(runId)?.calls ?? []
      return calls.filter(({ ordinal }) => ordinal >= from).slice(0, limit)
    },
    async scanCalls({ tenantId, after, limit }) {
      return [...runsOf(tenantId)]
        .flatMap(([runId, { calls }]) => calls.map((call) => ({ runId, ...call })))
        .sort((a, b) => (a.runId === b.runId ? a.ordinal - b.ordinal : a.runId < b.runId ? -1 : 1))
        .filter(
          (call) => !after || call.runId > after.runId || (call.runId === after.runId && call.ordinal > after.ordinal),
        )
        .slice(0, limit)
    },
    async sequences(runs) {
      return new Map(
        runs.flatMap(({ tenantId, runId }) => {
          const run = runsOf(tenantId).get(runId)?.run
          return run ? [[runKeyOf(tenantId, runId), run.nextSequence] as const] : []
        }),
      )
    },
  }
}

export function activeInScope(tenant: TenantState, scopeId: string): string | undefined {
  const active = [...tenant.runs.values()].filter(({ run }) => run.facts.scopeId === scopeId && run.endedAt === null)
  return active.map(({ run }) => run.runId).sort()[0]
}
