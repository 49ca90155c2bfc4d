import type { AdminRecord } from '../../core/admin.ts'
import { scrubbedKinds, scrubRecord } from '../../core/forget/scrub-record.ts'
import { fencedRefs } from '../../core/forget/selector.ts'
import type { Schedule } from '../../core/jobs/schedule.ts'
import { limits } from '../../core/limits.ts'
import { foldName } from '../../core/people/spelling.ts'
import { isJsonObject } from '../../core/workflow/json-values.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { clearWorkflowCache } from '../runs/workflow-registry.ts'
import type { ForgetProcess } from './forget-process.ts'
import { forgottenPerson } from './forgotten-person.ts'

/** Replaces forgotten names in administered records: names of keys, reasons, the config of workflows. */
export async function eraseFromRecords(erasure: ForgetProcess): Promise<void> {
  const { tenant } = erasure
  for await (const { kind, id } of namedRecords(erasure)) {
    // The record may change meanwhile: then it is scrubbed as it is by then.
    await decideAndCommit(async () => {
      const record = await tenant.storage.record(tenant.id, kind, id)
      const body = record && (await scrubbed(erasure, record))
      if (record === null || body === null) return
      const admin = [{ kind, id, body, expects: record.revision }]
      // Servers have workflows in memory: see `loadDefinition`.
      await erasure.step({ admin, changesRedaction: kind === 'workflow-version' }, { records: 1 })
    })
    if (kind === 'workflow-version' && !erasure.isDryRun) clearWorkflowCache(tenant.engine)
  }
}

/** How many records still have a forgotten name. */
export async function countRecords(erasure: ForgetProcess): Promise<number> {
  let left = 0
  for await (const { updatedAt } of namedRecords(erasure)) if (updatedAt <= erasure.namedUpTo.at) left += 1
  return left
}

async function scrubbed(erasure: ForgetProcess, { kind, id, body }: AdminRecord) {
  // The record of this forget has no name, and changes with every step.
  if (kind === 'forget' && id === erasure.id) return null
  // A key that the person got since.
  if (kind === 'key' && Number(body.facts?.createdAt) > erasure.namedUpTo.at) return null
  // Removed as a whole; a dry run still finds it.
  if (kind === 'heartbeat' && fencedRefs(erasure.fences).includes(foldName(String(body.text.memoryRef)))) return null
  return scrubRecord(kind, body, await forgottenPerson(erasure), erasure.tenant.now())
}

async function* namedRecords(erasure: ForgetProcess): AsyncGenerator<AdminRecord> {
  const { tenant } = erasure
  const limit = limits.rewritePageEntriesMax
  for (const kind of scrubbedKinds) {
    const read = (after: string | null) => tenant.storage.records({ tenantId: tenant.id, kind, after, limit })
    for await (const page of erasure.pages(read, ({ id }) => id, limit))
      for (const record of page) if ((await scrubbed(erasure, record)) !== null) yield record
  }
}

/** Removes schedules whose work names what was forgotten: with a mark in place of the name they would work on something else. */
export async function eraseSchedules(erasure: ForgetProcess): Promise<void> {
  const { tenant } = erasure
  for (const { scheduleId: id } of await namedSchedules(erasure)) {
    const record = await tenant.storage.record(tenant.id, 'schedule', id)
    if (record !== null && record.updatedAt > erasure.namedUpTo.at) continue
    const admin = record === null ? [] : [{ kind: 'schedule' as const, id, body: null, expects: null }]
    await erasure.step({ admin }, { schedules: 1 })
    if (!erasure.isDryRun) await tenant.storage.jobs.removeSchedule(tenant.id, id)
  }
}

/** How many schedules still name what was forgotten. */
export async function countSchedules(erasure: ForgetProcess): Promise<number> {
  const { tenant, namedUpTo } = erasure
  const records = (await namedSchedules(erasure)).map(({ scheduleId }) =>
    tenant.storage.record(tenant.id, 'schedule', scheduleId),
  )
  return (await Promise.all(records)).filter((record) => (record?.updatedAt ?? 0) <= namedUpTo.at).length
}

/**
 * Schedules whose work names what was forgotten by a whole value, as in the runs that they start. Names of inputs and the id of the workflow
 * are words of others.
 */
async function namedSchedules(erasure: ForgetProcess): Promise<readonly Schedule[]> {
  const { isName } = await forgottenPerson(erasure)
  const names = (value: unknown): boolean =>
    typeof value === 'string' ? isName(value) : isJsonObject(value) || Array.isArray(value) ? namesIn(value) : false
  const namesIn = (value: object) => Object.values(value).some(names)
  const isNamed = ({ payload }: Schedule) => {
    const { workflowId: _id, ...work } = isJsonObject(payload) ? payload : { payload }
    return namesIn(work)
  }
  return (await erasure.tenant.storage.jobs.schedules(erasure.tenant.id)).filter(isNamed)
}
