import type { SpellingErasure } from '../../core/forget/forgetting.ts'
import { type ForgottenValues, isSameJson, markMemberTexts } from '../../core/forget/scrub-run.ts'
import { fencedNames, fencedPeople, fencedRefs } from '../../core/forget/selector.ts'
import { limits } from '../../core/limits.ts'
import { foldName, hasOtherSpellings, personOfRef } from '../../core/people/spelling.ts'
import { type Redacted, redactValue } from '../../core/redaction/redaction.ts'
import { allHeartbeats } from '../heartbeats/heartbeat-record.ts'
import { countReaders, eraseReaders } from './erase-readers.ts'
import { countRecords, countSchedules, eraseFromRecords, eraseSchedules } from './erase-records.ts'
import type { ForgetProcess } from './forget-process.ts'
import { countNamedRuns } from './scrub-runs.ts'

/** Erases the name of a subject or ref from other rows: refs beside audit records, jobs, and the subject's own secrets. */
export async function eraseNames(erasure: ForgetProcess): Promise<void> {
  if (fencedNames(erasure.fences).length === 0) return
  await eraseSecrets(erasure)
  await eraseHeartbeats(erasure)
  await eraseSchedules(erasure)
  await eraseFromRecords(erasure)
  await eraseReaders(erasure)
  await eraseFromJobs(erasure)
  await eraseFromAudit(erasure)
  await eraseSpellings(erasure)
}

/** Rows of before the forget that are behind no fence and still have a forgotten name, by layer. */
export async function countNames(erasure: ForgetProcess): Promise<Readonly<Record<string, number>>> {
  if (fencedNames(erasure.fences).length === 0)
    return { runs: 0, records: 0, schedules: 0, readers: 0, jobs: 0, spellings: 0 }
  return {
    runs: await countNamedRuns(erasure),
    records: await countRecords(erasure),
    schedules: await countSchedules(erasure),
    readers: await countReaders(erasure),
    jobs: await countJobs(erasure),
    spellings: (await namedSpellings(erasure)).length,
  }
}

/** Deletes the rows by which the spellings of the person are found, unless a commit after the forget named them. */
async function eraseSpellings(erasure: ForgetProcess): Promise<void> {
  const spellings = await namedSpellings(erasure)
  if (spellings.length > 0) await erasure.step({ forgetting: { spellings } }, { records: spellings.length })
}

async function namedSpellings({ tenant, fences, namedUpTo }: ForgetProcess): Promise<readonly SpellingErasure[]> {
  const upTo = namedUpTo.position
  const people = new Set([...fencedPeople(fences), ...fencedRefs(fences).map((ref) => personOfRef(ref) ?? '')])
  const stored = [...people].filter(hasOtherSpellings).map((name) => tenant.storage.people.spellings(tenant.id, name))
  return (await Promise.all(stored))
    .flat()
    .flatMap(({ spelling, lastPosition }) => (lastPosition <= upTo ? [{ spelling, upTo }] : []))
}

/** Replaces forgotten refs beside audit records by an empty text. These refs are not part of the hash chain. */
async function eraseFromAudit(erasure: ForgetProcess): Promise<void> {
  const { tenant } = erasure
  const refs = new Set(fencedRefs(erasure.fences))
  const to = Math.max(0, ...erasure.fences.flatMap(({ kind, position }) => (kind === 'ref' ? [position] : [])))
  for (let from = 1; from <= to; ) {
    await erasure.nextPage()
    const page = await tenant.storage.audit({ tenantId: tenant.id, from, to, limit: limits.forgetPageMax })
    const auditRefs = page.flatMap((row) =>
      row.refs?.some((ref) => refs.has(foldName(ref)))
        ? [{ position: row.position, refs: row.refs.map((ref) => (refs.has(foldName(ref)) ? '' : ref)) }]
        : [],
    )
    if (auditRefs.length > 0) await erasure.step({ forgetting: { auditRefs } }, { auditRefs: auditRefs.length })
    const last = page.at(-1)
    if (last === undefined) return
    from = last.position + 1
  }
}

async function eraseSecrets(erasure: ForgetProcess): Promise<void> {
  const { tenant } = erasure
  const subjects = new Set(fencedPeople(erasure.fences))
  if (subjects.size === 0) return
  const limit = limits.forgetPageMax
  const read = (after: string | null) => tenant.storage.records({ tenantId: tenant.id, kind: 'secret', after, limit })
  for await (const page of erasure.pages(read, ({ id }) => id, limit)) {
    const own = page.filter(({ body }) => subjects.has(foldName(String(body.facts?.userId ?? ''))))
    const admin = own.map(({ id }) => ({ kind: 'secret' as const, id, body: null, expects: null }))
    if (admin.length > 0) await erasure.step({ admin, changesRedaction: true }, { secrets: admin.length })
  }
}

/** A heartbeat of a forgotten ref goes: there is nothing left to observe, and it names the ref. */
async function eraseHeartbeats(erasure: ForgetProcess): Promise<void> {
  const refs = new Set(fencedRefs(erasure.fences))
  const own = (await allHeartbeats(erasure.tenant)).filter(({ predicate }) =>
    refs.has(foldName(predicate.memoryRef ?? '')),
  )
  const admin = own.map(({ heartbeatId: id }) => ({ kind: 'heartbeat' as const, id, body: null, expects: null }))
  if (admin.length > 0) await erasure.step({ admin, wakes: own.map(({ jobId }) => jobId) }, { jobs: admin.length })
}

/** Replaces forgotten names in jobs by a marker. Jobs of the host have ids only, but jobs of programs can have any text. */
async function eraseFromJobs(erasure: ForgetProcess): Promise<void> {
  const { tenant } = erasure
  const forgotten = namesIn(erasure)
  const { redaction } = await tenant.context()
  for await (const { jobId, marked } of namedJobs(erasure, forgotten)) {
    const clean: Redacted<typeof marked> = await redaction.redact(({ scan }) => redactValue(marked, scan))
    if (!erasure.isDryRun) await tenant.storage.jobs.update(tenant.id, jobId, (job) => ({ ...job, ...clean }))
    await erasure.step({}, { jobs: 1 })
  }
}

async function countJobs(erasure: ForgetProcess): Promise<number> {
  let left = 0
  for await (const { createdAt } of namedJobs(erasure, namesIn(erasure)))
    if (createdAt <= erasure.namedUpTo.at) left += 1
  return left
}

function namesIn({ fences }: ForgetProcess): ForgottenValues {
  return { entryIds: new Set(), texts: [], names: new Set(fencedNames(fences)), refs: new Set() }
}

async function* namedJobs(erasure: ForgetProcess, forgotten: ForgottenValues) {
  const { tenant } = erasure
  const limit = limits.pageEntriesMax
  const read = (after: string | null) => tenant.storage.jobs.list({ tenantId: tenant.id, status: null, after, limit })
  for await (const page of erasure.pages(read, ({ jobId }) => jobId, limit)) {
    for (const { jobId, createdAt, payload, result, progress, error, trace } of page) {
      const own = {
        error: error && markMemberTexts(error, forgotten),
        trace: trace && markMemberTexts(trace, forgotten),
      }
      const marked = { ...markMemberTexts({ payload, result, progress }, forgotten), ...own }
      if (!isSameJson(marked, { payload, result, progress, error, trace })) yield { jobId, createdAt, marked }
    }
  }
}
