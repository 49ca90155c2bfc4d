import { type Forgotten, holds, markStrings } from '../../core/forget/scrub.ts'
import { namedRefs, namesIn } from '../../core/forget/selector.ts'
import type { Job } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { type Redacted, redactValue } from '../../core/redaction/redaction.ts'
import type { Work } from './work.ts'

/** Where else a subject or a ref stands by name: records of the audit, jobs, secrets that are the subject's own. */
export async function eraseNames(work: Work): Promise<void> {
  if (namesIn(work.fences).length === 0) return
  await eraseSecrets(work)
  await eraseFromJobs(work)
  await eraseFromAudit(work)
}

/** The refs of a record are not part of the chain: an empty one keeps its place. */
async function eraseFromAudit(work: Work): Promise<void> {
  const { tenant } = work
  const refs = new Set(namedRefs(work.fences))
  const to = Math.max(0, ...work.fences.flatMap(({ kind, position }) => (kind === 'ref' ? [position] : [])))
  for (let from = 1; from <= to; ) {
    await work.nextPage()
    const page = await tenant.storage.audit({ tenantId: tenant.id, from, to, limit: limits.forgetPageMax })
    const auditRefs = page.flatMap((row) =>
      row.refs?.some((ref) => refs.has(ref))
        ? [{ position: row.position, refs: row.refs.map((ref) => (refs.has(ref) ? '' : ref)) }]
        : [],
    )
    if (auditRefs.length > 0) await work.step({ forgetting: { auditRefs } }, { auditRefs: auditRefs.length })
    const last = page.at(-1)
    if (last === undefined) return
    from = last.position + 1
  }
}

async function eraseSecrets(work: Work): Promise<void> {
  const { tenant } = work
  const subjects = new Set(work.fences.flatMap(({ kind, value }) => (kind === 'subject' ? [value] : [])))
  for (let after: string | null = null; subjects.size > 0; ) {
    await work.nextPage()
    const limit = limits.forgetPageMax
    const page: Awaited<ReturnType<typeof tenant.storage.records>> = await tenant.storage.records({
      tenantId: tenant.id,
      kind: 'secret',
      after,
      limit,
    })
    const own = page.filter(({ body }) => subjects.has(String(body.facts?.userId ?? '')))
    const admin = own.map(({ id }) => ({ kind: 'secret' as const, id, body: null, expects: null }))
    if (admin.length > 0) await work.step({ admin, changesRedaction: true }, { secrets: admin.length })
    after = page.at(-1)?.id ?? null
    if (after === null || page.length < limit) return
  }
}

/** Jobs of the host carry ids only; those of programs may carry anything. Names in them are replaced by a mark. */
async function eraseFromJobs(work: Work): Promise<void> {
  const { tenant } = work
  const forgotten: Forgotten = {
    entryIds: new Set(),
    texts: [],
    names: new Set(namesIn(work.fences)),
    refs: new Set(),
  }
  const { redaction } = await tenant.context()
  for (let after: string | null = null; ; ) {
    await work.nextPage()
    const limit = limits.pageEntriesMax
    const page: readonly Job[] = await tenant.storage.jobs.list({ tenantId: tenant.id, status: null, after, limit })
    for (const { jobId, payload, result, progress, error, trace } of page) {
      const parts = { payload, result, progress, error, trace }
      if (!holds(parts, forgotten)) continue
      const marked = markStrings(parts, forgotten) as typeof parts
      const clean: Redacted<typeof parts> = await redaction.redact(({ scan }) => redactValue(marked, scan))
      if (!work.isDryRun) await tenant.storage.jobs.update(tenant.id, jobId, (job) => ({ ...job, ...clean }))
      await work.step({}, { jobs: 1 })
    }
    after = page.at(-1)?.jobId ?? null
    if (after === null || page.length < limit) return
  }
}
