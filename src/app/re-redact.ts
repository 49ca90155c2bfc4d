import type { AdminBody, AdminRecord } from '../core/admin.ts'
import type { EntryVersion } from '../core/entry.ts'
import { isHostJob, isHostPayload } from '../core/host-job.ts'
import { limits } from '../core/limits.ts'
import { type Redacted, redactStoredRecord, redactValue } from '../core/redaction.ts'
import type { Scanner } from '../core/scanner.ts'
import type { ScanPlace } from '../ports/storage.ts'
import { commitChange } from './commit.ts'
import type { Deps } from './deps.ts'
import { reRedactProvenance } from './provenance/re-redact-provenance.ts'
import { freshContext } from './redaction-state.ts'
import { reRedactRuns } from './runs/re-redact-runs.ts'
import { forgetDefinitions } from './workflows.ts'

/** What going over stored texts found, or would change. Rules and counts, never texts. */
export type RedactionReport = {
  readonly dryRun: boolean
  readonly scanned: number
  readonly changed: number
  readonly jobsChanged: number
  readonly recordsChanged: number
  readonly runsChanged: number
  readonly sourcesChanged: number
  readonly hits: readonly { readonly rule: string; readonly count: number }[]
}

export type RedactionPass = {
  readonly dryRun: boolean
  readonly signal: AbortSignal
  readonly onProgress: (progress: { scanned: number; changed: number }) => void
}

/**
 * Goes over the texts a tenant has stored with today's secrets and rules, and takes out in place what they find: every
 * version, ended ones too, what jobs, schedules and runs carry, workflows, agents, and the free text of keys and rules. Identifiers (refs,
 * subjects, ids) are refused when they come in, not rewritten. Safe to run again, and safe to be cut off.
 */
export async function reRedact(deps: Deps, tenantId: string, pass: RedactionPass): Promise<RedactionReport> {
  const hits = new Map<string, number>()
  const onHit = (rule: string) => hits.set(rule, (hits.get(rule) ?? 0) + 1)
  let scanned = 0
  let changed = 0
  for (let after: ScanPlace | null = null; ; ) {
    pass.signal.throwIfAborted()
    const { redaction } = await freshContext(deps, tenantId)
    const page: readonly EntryVersion[] = await deps.storage.scanVersions({
      tenantId,
      after,
      limit: limits.rewritePageEntriesMax,
    })
    const rewrites = page.flatMap((version) => toRewrite(deps, version, redaction.scan, onHit))
    if (rewrites.length > 0 && !pass.dryRun) {
      await commitChange(deps, tenantId, { kind: 'memory.redacted', rewrites }, { call: { operation: 're-redact' } })
    }
    scanned += page.length
    changed += rewrites.length
    pass.onProgress({ scanned, changed })
    const last = page.at(-1)
    if (last === undefined) break
    after = { entryId: last.entryId, version: last.version }
  }
  const jobsChanged = await reRedactJobs(deps, tenantId, pass, onHit)
  const recordsChanged = await reRedactRecords(deps, tenantId, pass, onHit)
  const runsChanged = await reRedactRuns(deps, tenantId, pass, onHit)
  const sourcesChanged = await reRedactProvenance(deps, tenantId, pass, onHit)
  const counts = [...hits].map(([rule, count]) => ({ rule, count }))
  return {
    dryRun: pass.dryRun,
    scanned,
    changed,
    jobsChanged,
    recordsChanged,
    runsChanged,
    sourcesChanged,
    hits: counts,
  }
}

function toRewrite(deps: Deps, version: EntryVersion, scan: Scanner, onHit: (rule: string) => void) {
  const content = scan(version.content, onHit)
  const tags = [...new Set(version.tags.map((tag) => scan(tag, onHit)))]
  const isSame =
    content === version.content &&
    tags.length === version.tags.length &&
    tags.every((tag, i) => tag === version.tags[i])
  if (isSame) return []
  const { memoryRef, entryId, version: number, salt } = version
  return [{ memoryRef, entryId, version: number, content, tags, readSalt: salt, salt: deps.system.newSalt() }]
}

type OnHit = (rule: string) => void

/** The value without its secrets, or nothing when it has none. */
async function cleaned<T>(
  deps: Deps,
  tenantId: string,
  value: T,
  onHit: OnHit,
  redact: (value: T, scan: Scanner) => Redacted<T> = redactValue,
): Promise<Redacted<T> | null> {
  const { redaction } = await freshContext(deps, tenantId)
  let found = false
  const clean = redact(value, (text) =>
    redaction.scan(text, (rule) => {
      found = true
      onHit(rule)
    }),
  )
  return found ? clean : null
}

async function reRedactJobs(deps: Deps, tenantId: string, { dryRun }: RedactionPass, onHit: OnHit): Promise<number> {
  let changed = 0
  for (const schedule of await deps.storage.jobs.schedules(tenantId)) {
    const clean = await cleaned(deps, tenantId, schedule, onHit)
    if (clean === null) continue
    changed += 1
    if (!dryRun) await deps.storage.jobs.putSchedule(tenantId, clean)
  }
  for (let after: string | null = null; ; ) {
    const jobs = await deps.storage.jobs.list({ tenantId, status: null, after, limit: limits.pageEntriesMax })
    for (const { jobId, kind, payload, result, progress, error, trace } of jobs) {
      const told = isHostPayload(kind, payload) ? {} : { payload }
      const texts = isHostJob(kind) ? { progress, error } : { result, progress, error }
      const clean = await cleaned(deps, tenantId, { ...told, ...texts, trace }, onHit)
      if (clean === null) continue
      changed += 1
      if (!dryRun) await deps.storage.jobs.update(tenantId, jobId, (job) => ({ ...job, ...clean }))
    }
    after = jobs.at(-1)?.jobId ?? null
    if (after === null) return changed
  }
}

const recordKinds = ['key', 'rule', 'secret', 'settings', 'agent', 'workflow-version', 'writer', 'schedule'] as const

async function reRedactRecords(deps: Deps, tenantId: string, pass: RedactionPass, onHit: OnHit): Promise<number> {
  let changed = 0
  for (const kind of recordKinds) {
    for (let after: string | null = null; ; ) {
      pass.signal.throwIfAborted()
      const limit = limits.rewritePageEntriesMax
      const records: readonly AdminRecord[] = await deps.storage.records({ tenantId, kind, after, limit })
      for (const record of records) if (await reRedactRecord(deps, tenantId, record, pass, onHit)) changed += 1
      after = records.at(-1)?.id ?? null
      if (after === null) break
    }
  }
  if (changed > 0) forgetDefinitions(deps)
  return changed
}

async function reRedactRecord(
  deps: Deps,
  tenantId: string,
  { kind, id, revision, body }: AdminRecord,
  { dryRun }: RedactionPass,
  onHit: OnHit,
): Promise<boolean> {
  const redact = (said: AdminBody['text'], scan: Scanner) => redactStoredRecord(kind, said, scan)
  const text = await cleaned(deps, tenantId, body.text, onHit, redact)
  if (text === null) return false
  const change = { kind, id, body: { ...body, text }, expects: revision }
  const call = { operation: 're-redact' }
  if (!dryRun) await commitChange(deps, tenantId, { kind: 'admin.redacted', admin: [change] }, { call })
  return true
}
