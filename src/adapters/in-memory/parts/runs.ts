import type { RunPartState } from '../../../core/commit/parts/runs.ts'
import { activeInScope } from '../runs.ts'
import type { ModelPart } from './part.ts'

export const runs: ModelPart<RunPartState> = {
  state: (tenant) => ({
    run: (runId) => tenant.runs.get(runId)?.run,
    activeInScope: (scopeId) => activeInScope(tenant, scopeId),
  }),

  save(tenant, rows) {
    for (const { run, events, calls, rewritten, shortened } of rows.runs) {
      const stored = tenant.runs.get(run.runId) ?? { run, events: [], calls: [] }
      stored.run = run
      stored.events.push(...events)
      for (const { sequence, payload } of rewritten) {
        const event = stored.events[sequence]
        if (event) stored.events[sequence] = { ...event, payload }
      }
      for (const { ordinal, ...call } of shortened) {
        const index = stored.calls.findIndex((recorded) => recorded.ordinal === ordinal)
        const recorded = stored.calls[index]
        if (recorded) stored.calls[index] = { ...recorded, ...call }
      }
      stored.calls.push(...calls)
      tenant.runs.set(run.runId, stored)
    }
  },
}
