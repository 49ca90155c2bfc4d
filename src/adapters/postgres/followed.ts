import { runKeyOf } from '../../core/run/run.ts'
import type { RunStore } from '../../ports/run-store.ts'
import { query, statement } from './connection.ts'
import type { Database } from './database.ts'

/**
 * What readers that wait for changes follow: the positions of tenants, and the lengths of the logs of runs. One query for all of them. Where tables
 * are distributed it would ask every node, so each tenant is asked for by itself, and those of a node that is down are left out.
 */

type ClockRow = { tenant_id: string; position: number }
type SequenceRow = { tenant_id: string; run_id: string; next_sequence: number }

export async function readClocks(
  database: Database,
  tenantIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = database.isDistributed
    ? await ofEach(tenantIds, (tenantId) => query<ClockRow>(database, sql.clock, [tenantId]))
    : await query<ClockRow>(database, sql.clocks, [tenantIds])
  return new Map(rows.map((row) => [row.tenant_id, row.position]))
}

export async function readSequences(database: Database, runs: Parameters<RunStore['sequences']>[0]) {
  const ofTenants = [...Map.groupBy(runs, ({ tenantId }) => tenantId)]
  const rows = database.isDistributed
    ? await ofEach(ofTenants, ([tenantId, own]) =>
        query<SequenceRow>(database, sql.sequencesOfTenant, [tenantId, own.map(({ runId }) => runId)]),
      )
    : await query<SequenceRow>(database, sql.sequences, [
        runs.map(({ tenantId }) => tenantId),
        runs.map(({ runId }) => runId),
      ])
  return new Map(rows.map((row) => [runKeyOf(row.tenant_id, row.run_id), row.next_sequence]))
}

/** Fails only if every query does. */
async function ofEach<T, Row>(asked: readonly T[], read: (one: T) => Promise<readonly Row[]>): Promise<Row[]> {
  const settled = await Promise.allSettled(asked.map(read))
  const [first] = settled
  if (first?.status === 'rejected' && settled.every(({ status }) => status === 'rejected')) throw first.reason
  return settled.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
}

const sql = {
  clock: statement('followed_clock', 'select tenant_id, position from tenant_clock where tenant_id = $1'),
  // Across tenants on purpose.
  clocks: statement('clocks', 'select tenant_id, position from tenant_clock where tenant_id = any($1)', {
    isAcrossTenants: true,
  }),
  sequencesOfTenant: statement(
    'run_sequences_of_tenant',
    'select tenant_id, run_id, next_sequence from run where tenant_id = $1 and run_id = any($2)',
  ),
  // Across tenants on purpose. Each run is named with its tenant.
  sequences: statement(
    'run_sequences',
    `select r.tenant_id, r.run_id, r.next_sequence
       from unnest($1::text[], $2::text[]) as wanted (tenant_id, run_id)
       join run r
         on r.tenant_id = wanted.tenant_id
        and r.run_id = wanted.run_id`,
    { isAcrossTenants: true },
  ),
}
