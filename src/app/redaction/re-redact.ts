import type { AdminKind, AdminRecord } from '../../core/admin.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { describeRedaction, type RedactionCounts } from '../../core/jobs/dry-run.ts'
import { isHostJob, isHostPayload } from '../../core/jobs/host-job.ts'
import { limits } from '../../core/limits.ts'
import { type Redacted, redactStoredRecord, redactStoredSchedule, redactValue } from '../../core/redaction/redaction.ts'
import type { Scanner } from '../../core/redaction/scanner.ts'
import type { ScanPlace } from '../../ports/storage.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Engine } from '../engine.ts'
import { reRedactProvenance } from '../provenance/re-redact-provenance.ts'
import { reRedactRuns } from '../runs/re-redact-runs.ts'
import { clearWorkflowCache } from '../runs/workflow-registry.ts'
import type { Tenant } from '../tenant.ts'
import { commitOptions, type RedactionPass } from './redaction-pass.ts'
import { freshContext } from './redaction-state.ts'

/** What a redaction pass changed, or in a dry run would change. It has rules and counts, never texts. */
export type RedactionReport = RedactionCounts & {
  readonly dryRun: boolean
  /** What a dry run found, in words. */
  readonly summary?: string
  readonly hits: readonly {
    readonly rule: string
    readonly count: number
    /** The memories in which the rule or secret was found, in any version. */
    readonly memories: number
  }[]
}

/**
 * Scans all stored texts of a tenant with its current secrets and rules, and redacts the matches in place: every version, ended ones
 * too, jobs, schedules, runs, workflows, agents, and the free text of keys and rules. Identifiers (refs, subjects, ids) are not
 * rewritten: writes with a secret in them are refused. The pass can be interrupted and repeated.
 */
export async function reRedact(tenant: Tenant, pass: RedactionPass): Promise<RedactionReport> {
  const hits = new Map<string, number>()
  const memories = countMemories()
  const onHit = (rule: string) => hits.set(rule, (hits.get(rule) ?? 0) + 1)
  let scanned = 0
  let changed = 0
  for (let after: ScanPlace | null = null; ; ) {
    pass.signal.throwIfAborted()
    const { redaction } = await freshContext(tenant)
    const page: readonly EntryVersion[] = await tenant.storage.scanVersions({
      tenantId: tenant.id,
      after,
      limit: limits.rewritePageEntriesMax,
    })
    const { rewrites, found } = await redaction.redact(({ scan }) => {
      const found: { readonly rule: string; readonly entryId: string }[] = []
      const rewrites = page.flatMap((version) =>
        toRewrite(tenant.engine, version, scan, (rule) => found.push({ rule, entryId: version.entryId })),
      )
      return { rewrites, found }
    })
    for (const { rule, entryId } of found) {
      onHit(rule)
      memories.add(rule, entryId)
    }
    if (rewrites.length > 0 && !pass.dryRun) {
      await tenant.commit({ kind: 'memory.redacted', rewrites }, commitOptions(pass))
    }
    scanned += page.length
    changed += rewrites.length
    pass.onProgress({ scanned, changed })
    const last = page.at(-1)
    if (last === undefined) break
    after = { entryId: last.entryId, version: last.version }
  }
  const jobsChanged = await reRedactJobs(tenant, pass, onHit)
  const recordsChanged = await reRedactRecords(tenant, pass, onHit)
  const runsChanged = await reRedactRuns(tenant, pass, onHit)
  const sourcesChanged = await reRedactProvenance(tenant, pass, onHit)
  const counts = [...hits].map(([rule, count]) => ({ rule, count, memories: memories.of(rule) }))
  const changes = { scanned, changed, jobsChanged, recordsChanged, runsChanged, sourcesChanged }
  const inWords = pass.dryRun ? { summary: describeRedaction(changes) } : {}
  return { dryRun: pass.dryRun, ...inWords, ...changes, hits: counts }
}

/** Counts memories by rule. The versions of a memory are read one after another, so the last one is all there is to remember. */
function countMemories() {
  const found = new Map<string, { readonly last: string; readonly count: number }>()
  return {
    add(rule: string, entryId: string): void {
      const known = found.get(rule)
      if (known?.last !== entryId) found.set(rule, { last: entryId, count: (known?.count ?? 0) + 1 })
    },
    of: (rule: string) => found.get(rule)?.count ?? 0,
  }
}

function toRewrite(engine: Engine, version: EntryVersion, scan: Scanner, onHit: (rule: string) => void) {
  const content = scan(version.content, onHit)
  const tags = [...new Set(version.tags.map((tag) => scan(tag, onHit)))]
  const isSame =
    content === version.content &&
    tags.length === version.tags.length &&
    tags.every((tag, i) => tag === version.tags[i])
  if (isSame) return []
  const { memoryRef, entryId, version: number, salt } = version
  return [{ memoryRef, entryId, version: number, content, tags, readSalt: salt, salt: engine.system.newSalt() }]
}

type OnHit = (rule: string) => void

/** The redacted value; null when it has no secrets. */
async function cleaned<T>(
  tenant: Tenant,
  value: T,
  onHit: OnHit,
  redact: (value: T, scan: Scanner, onHit: OnHit) => Redacted<T> = redactValue,
): Promise<Redacted<T> | null> {
  const { redaction } = await freshContext(tenant)
  const { clean, found } = await redaction.redact(({ scan }) => {
    const found: string[] = []
    return { clean: redact(value, scan, (rule) => found.push(rule)), found }
  })
  for (const rule of found) onHit(rule)
  return found.length > 0 ? clean : null
}

async function reRedactJobs(tenant: Tenant, { dryRun }: RedactionPass, onHit: OnHit): Promise<number> {
  let changed = 0
  for (const schedule of await tenant.storage.jobs.schedules(tenant.id)) {
    const clean = await cleaned(tenant, schedule, onHit, redactStoredSchedule)
    if (clean === null) continue
    changed += 1
    if (!dryRun) await tenant.storage.jobs.putSchedule(tenant.id, clean)
  }
  for (let after: string | null = null; ; ) {
    const jobs = await tenant.storage.jobs.list({
      tenantId: tenant.id,
      status: null,
      after,
      limit: limits.pageEntriesMax,
    })
    for (const { jobId, kind, payload, result, progress, error, trace } of jobs) {
      const input = isHostPayload(kind, payload) ? {} : { payload }
      const texts = isHostJob(kind) ? { progress, error } : { result, progress, error }
      const clean = await cleaned(tenant, { ...input, ...texts, trace }, onHit)
      if (clean === null) continue
      changed += 1
      if (!dryRun) await tenant.storage.jobs.update(tenant.id, jobId, (job) => ({ ...job, ...clean }))
    }
    after = jobs.at(-1)?.jobId ?? null
    if (after === null) return changed
  }
}

/** Whether records of a kind have free text. The others have facts and sealed values only. */
const hasText: Readonly<Record<AdminKind, boolean>> = {
  key: true,
  session: false,
  secret: true,
  'data-key': false,
  rule: true,
  settings: true,
  workflow: false,
  'workflow-version': true,
  agent: true,
  webhook: false,
  writer: true,
  schedule: true,
  heartbeat: true,
  import: false,
  forget: true,
  quarantine: true,
  'log-key': false,
  containment: true,
  'containment-part': false,
  'containment-state': false,
}

const recordKinds = (Object.keys(hasText) as AdminKind[]).filter((kind) => hasText[kind])

async function reRedactRecords(tenant: Tenant, pass: RedactionPass, onHit: OnHit): Promise<number> {
  let changed = 0
  for (const kind of recordKinds) {
    for (let after: string | null = null; ; ) {
      pass.signal.throwIfAborted()
      const limit = limits.rewritePageEntriesMax
      const records: readonly AdminRecord[] = await tenant.storage.records({ tenantId: tenant.id, kind, after, limit })
      for (const record of records) if (await reRedactRecord(tenant, record, pass, onHit)) changed += 1
      after = records.at(-1)?.id ?? null
      if (after === null) break
    }
  }
  if (changed > 0) clearWorkflowCache(tenant.engine)
  return changed
}

/** A record may change meanwhile, such as that of a forget that goes on: then it is redacted as it is by then. */
function reRedactRecord(tenant: Tenant, listed: AdminRecord, pass: RedactionPass, onHit: OnHit): Promise<boolean> {
  const { kind, id } = listed
  let record: AdminRecord | null = listed
  return decideAndCommit(async () => {
    record ??= await tenant.storage.record(tenant.id, kind, id)
    if (record === null) return false
    const { revision, body } = record
    // Read again if the commit is refused.
    record = null
    const found: string[] = []
    const text = await cleaned(
      tenant,
      body.text,
      (rule) => found.push(rule),
      (stored, scan, onTextHit) => redactStoredRecord(kind, stored, scan, onTextHit),
    )
    if (text === null) return false
    const change = { kind, id, body: { ...body, text }, expects: revision }
    if (!pass.dryRun) await tenant.commit({ kind: 'admin.redacted', admin: [change] }, commitOptions(pass))
    for (const rule of found) onHit(rule)
    return true
  })
}
