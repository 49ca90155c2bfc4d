import { maintenanceWorkflowId } from '../../src/core/run/run.ts'
import { entriesPath } from '../wire.ts'
import { allRows, compare, get, type Row, type TenantCheck } from './check.ts'

const host = '/v1/host/colophon'

/** Commitments: each whose statement came true has fired, with one event. */
export const promisesFiredOnce: TenantCheck = async ({ ledger }, caller) => {
  const promises = [...ledger.promises]
  const rows = await allRows(caller, `${host}/commitments?limit=500`, 'commitments')
  const fired = rows.filter(({ status }: Row) => status === 'fired').map(({ id }: Row) => id)
  const problems = compare('the commitment that fired', fired, promises)
  const runs = await allRows(caller, `${host}/runs?limit=500&workflowId=${maintenanceWorkflowId}`, 'runs')
  const events: string[] = []
  for (const { runId } of runs) {
    const log = await get(caller, `/v1/runs/${runId}/events/poll?timeout=0`)
    for (const { type, payload } of log.events) if (type === 'commitment.fired') events.push(payload.commitmentId)
  }
  problems.push(...compare('the event of the commitment', events, promises))
  return { checked: promises.length, problems }
}

/** Distillations: each has one archive. */
export const distilledOnce: TenantCheck = async ({ ledger }, caller) => {
  const rows = await allRows(caller, `${host}/distillations?limit=100`, 'distillations')
  const problems = compare(
    'the distillation',
    rows.map(({ id, memoryRef, status }: Row) => `${id} ${memoryRef} ${status}`),
    [...ledger.distilled].map(([id, ref]) => `${id} ${ref} completed`),
  )
  return { checked: ledger.distilled.size, problems }
}

/** Consolidations: of two entries that say the same, one is left. */
export const consolidatedOnce: TenantCheck = async ({ ledger }, caller) => {
  const problems: string[] = []
  for (const [jobId, ref] of ledger.consolidated) {
    const { entries } = await get(caller, entriesPath(ref))
    if (entries.length !== 1) problems.push(`${ref} has ${entries.length} entries after the job ${jobId}`)
  }
  return { checked: ledger.consolidated.size, problems }
}

/** Heartbeats: each change begins with the state that the one before it ended with, so no tick was lost or counted twice. */
export const heartbeatsAreAChain: TenantCheck = async ({ follower }) => {
  const problems: string[] = []
  let last = '{}'
  const changes = (follower?.ticks ?? []).flatMap(({ payload }) => ('from' in payload ? [payload] : []))
  for (const { from, to } of changes) {
    if (JSON.stringify(from) !== last) problems.push(`a change begins with ${JSON.stringify(from)} after ${last}`)
    last = JSON.stringify(to)
  }
  return { checked: changes.length, problems }
}
