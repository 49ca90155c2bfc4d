import { join } from 'node:path'
import Database from 'better-sqlite3'
import { runCli } from '../../test/support/cli.ts'
import { begin } from '../phase.ts'
import { isLeft } from '../settle.ts'
import type { Site } from '../site.ts'
import type { Tally } from '../tally.ts'
import { allRows, type Checked, compare, get, type Row, type TenantCheck } from './check.ts'

const host = '/v1/host/colophon'

/** Jobs: none is left; those that can never succeed are dead letters, and no others are. */
export const jobsHaveEnded: TenantCheck = async ({ ledger }, caller) => {
  const jobs = await allRows(caller, `${host}/jobs?limit=500`, 'jobs')
  const dead = jobs.filter(({ status }: Row) => status === 'dead')
  const undeliverable = [...ledger.runs].filter(([, { workflow }]) => workflow === 'fails').map(([runId]) => runId)
  const problems = compare(
    'the dead letter',
    dead.map(({ kind, runId, error }: Row) => `${kind} ${runId} ${error?.code}`),
    undeliverable.map((runId) => `colophon.webhook ${runId} delivery_failed`),
  )
  for (const { id, kind, status } of jobs.filter(isLeft)) problems.push(`the job ${id} (${kind}) is still ${status}`)
  return { checked: jobs.length, problems }
}

/** Schedules: each manual start is one job, and it is completed. */
export const schedulesRanOnce: TenantCheck = async ({ ledger }, caller) => {
  const jobs = await allRows(caller, `${host}/jobs?limit=500`, 'jobs')
  const asked = jobs.filter(({ kind }: Row) => kind === 'colophon.re-redact')
  const problems = compare(
    'the job of a schedule',
    asked.map(({ id, status }: Row) => `${id} ${status}`),
    ledger.scheduleJobs.map((id) => `${id} completed`),
  )
  return { checked: ledger.scheduleJobs.length, problems }
}

export const auditIsWhole: TenantCheck = async (_tenant, caller) => {
  const verdict = await get(caller, '/v1/audit/verify?contents=true')
  const problems = verdict.chainValid === true ? [] : [JSON.stringify(verdict.anomalies).slice(0, 500)]
  return { checked: verdict.toSeq - verdict.fromSeq + 1, problems }
}

/** What an operator runs after all servers were stopped. */
export async function commandsAreContent(site: Site, tally: Tally): Promise<Checked> {
  const commands = [['doctor'], ...site.tenants.map(({ id }) => ['--tenant', id, 'audit', 'verify', '--contents'])]
  const problems: string[] = []
  for (const command of commands) {
    using _ = begin(tally, `colophon ${command.join(' ')}`)
    const { code, stdout, stderr } = await runCli(command, { env: site.env })
    if (code !== 0) problems.push(`colophon ${command.join(' ')} ended with ${code}: ${stdout} ${stderr}`)
  }
  if (site.name === 'sqlite') {
    const db = new Database(join(site.dataDir, 'colophon.db'), { readonly: true })
    const verdict = db.pragma('integrity_check', { simple: true })
    db.close()
    if (verdict !== 'ok') problems.push(`SQLite says: ${verdict}`)
  }
  return { checked: commands.length, problems }
}
