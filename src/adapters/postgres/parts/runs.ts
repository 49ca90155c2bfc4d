import type { RunPartState } from '../../../core/commit/parts/runs.ts'
import type { RunHead } from '../../../core/run/run.ts'
import { type RunHeadRow, runHeadColumns, toRunHead } from '../../sql/run-rows.ts'
import { statement } from '../connection.ts'
import { saveRuns } from '../runs.ts'
import type { Group, PostgresPart } from './part.ts'

export type RunsLoaded = {
  readonly runs: Map<string, RunHead>
  /** Runs under way in the scopes that the group claims: each run's scope. */
  readonly active: Map<string, string>
}

type ActiveRow = { run_id: string; scope_id: string }

export const runs: PostgresPart<RunsLoaded, RunPartState> = {
  none: () => ({ runs: new Map(), active: new Map() }),

  async load(send, tenantId, batches) {
    const ids = runIdsOf(batches)
    const scopes = batches.flatMap((batch) => batch.runs).flatMap(({ claimsScope }) => claimsScope ?? [])
    const [heads, active] = await Promise.all([
      ids.length === 0 ? null : send<RunHeadRow>(sql.heads, [tenantId, ids]),
      scopes.length === 0 ? null : send<ActiveRow>(sql.active, [tenantId, scopes]),
    ])
    return {
      runs: new Map(heads?.rows.map((run) => [run.run_id, toRunHead(run)])),
      active: new Map(active?.rows.map((run) => [run.run_id, run.scope_id])),
    }
  },

  state: (loaded) => ({
    run: (runId) => loaded.runs.get(runId),
    activeInScope: (scopeId) => {
      const found = [...loaded.active].filter(([, scope]) => scope === scopeId).map(([runId]) => runId)
      return found.sort()[0]
    },
  }),

  /** A run that ends frees its scope for the next batch of the group, and a new one takes it. */
  after(loaded, sealed) {
    for (const { run } of sealed.runs) {
      loaded.runs.set(run.runId, run)
      if (run.endedAt === null && run.facts.scopeId !== null) loaded.active.set(run.runId, run.facts.scopeId)
      else loaded.active.delete(run.runId)
    }
  },

  save: (send, tenantId, sealed) =>
    saveRuns(
      send,
      tenantId,
      sealed.flatMap((batch) => batch.runs),
    ),
}

/** Runs that take a step, the sources of new forks, runs that a job waits for, and runs to prune. */
function runIdsOf(batches: Group): string[] {
  const steps = batches.flatMap((batch) => batch.runs)
  return [
    ...steps.flatMap(({ run }) => [run.runId, ...(run.facts.fork ? [run.facts.fork.sourceRunId] : [])]),
    ...batches.flatMap(({ park, runsPruned }) => [...(park?.waitsFor ?? []), ...runsPruned]),
  ]
}

// Not locked by themselves: nothing but a commit writes runs, and the clock's lock orders those.
const sql = {
  heads: statement(
    'select_run_heads',
    `select ${runHeadColumns}
     from run
    where tenant_id = $1
      and run_id = any($2)`,
  ),
  active: statement(
    'select_active_runs',
    `select run_id, scope_id
     from run
    where tenant_id = $1
      and scope_id = any($2)
      and ended_at is null`,
  ),
}
