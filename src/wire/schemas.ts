import { z } from 'zod'
import { limits } from '../core/limits.ts'
import { scopes } from '../core/scopes.ts'
import { CompactionPolicy, Derivation } from './compactions.ts'

/** Every shape that crosses the wire, written once. Types, checks and the OpenAPI document come from here. */

/** Arrays in answers: nobody changes them on the way out. */
const list = <T extends z.ZodType>(item: T) => z.array(item).readonly()

const instant = z.string().describe('ISO-8601 instant, UTC, milliseconds')
const position = z.int().min(0).describe('Position of the tenant’s logical clock')

export const MemoryEntry = z
  .strictObject({
    id: z.string(),
    content: z.string(),
    tags: list(z.string()),
    createdAt: instant,
    expiresAt: instant.optional(),
  })
  .meta({ id: 'MemoryEntry', description: 'One memory.' })

export const EntryDraft = z
  .strictObject({
    content: z.string(),
    tags: z.array(z.string()).optional(),
    expiresAt: z.string().optional(),
    subject: z.string().optional(),
  })
  .meta({ id: 'EntryDraft', description: 'What is to be remembered.' })

export const EntryBatch = z.strictObject({ entries: z.array(EntryDraft) }).meta({ id: 'EntryBatch' })

export const EntryPage = z
  .strictObject({ entries: list(MemoryEntry), cursor: z.string().optional(), position })
  .meta({ id: 'EntryPage', description: 'One page, newest first, and the position it was read at.' })

export const EntryList = z.strictObject({ entries: list(MemoryEntry) }).meta({ id: 'EntryList' })

export const EntryBatchResult = z
  .strictObject({ entries: list(MemoryEntry), position })
  .meta({ id: 'EntryBatchResult' })

export const Deleted = z.strictObject({ deleted: z.boolean() }).meta({ id: 'Deleted' })

export const EntryColophon = z
  .strictObject({
    id: z.string(),
    memoryRef: z.string(),
    version: z.int(),
    createdAt: instant,
    origin: z.looseObject({ kind: z.string() }),
    subject: z.string().nullable(),
    startedBy: z.string().optional(),
    claimId: z.string().nullable(),
    derivedFrom: Derivation.optional(),
    story: list(
      z.strictObject({
        step: z.string(),
        at: instant,
        position: position.optional(),
        text: z.string(),
        details: z.looseObject({}),
      }),
    ),
    audit: z.strictObject({ position, at: instant, actor: z.string(), hash: z.string() }).nullable(),
  })
  .meta({
    id: 'EntryColophon',
    description: 'Where an entry comes from: who, when, from what, and the audit record that proves it.',
  })

export const RefPage = z
  .strictObject({
    refs: list(z.strictObject({ memoryRef: z.string(), entries: z.int(), lastWriteAt: instant })),
    cursor: z.string().optional(),
  })
  .meta({ id: 'RefPage' })

const count = z.coerce.number().int().min(0)

/** Query parameters come as text; unknown ones are refused. */
export const EntryQuery = z.strictObject({
  limit: count.optional(),
  tag: z.string().optional(),
  cursor: z.string().optional(),
  asOf: z.string().optional(),
  runId: z.string().optional(),
})

export const AsOfQuery = z.strictObject({ asOf: z.string().optional(), runId: z.string().optional() })
export const ListQuery = z.strictObject({ limit: count.optional(), tag: z.string().optional() })
export const PageQuery = z.strictObject({ limit: count.optional(), cursor: z.string().optional() })
export const ChangesQuery = z.strictObject({ after: count.optional() })
export const VerifyQuery = z.strictObject({
  fromSeq: count.optional(),
  toSeq: count.optional(),
  contents: z.enum(['true', 'false']).optional().describe('Also compare stored contents and source events'),
})
export const McpQuery = z.strictObject({ ref: z.string().optional(), subject: z.string().optional() })
export const NoQuery = z.strictObject({})

export const RefParams = z.strictObject({ ref: z.string() })
export const EntryParams = z.strictObject({ ref: z.string(), id: z.string() })
export const IdParams = z.strictObject({ id: z.string() })

const Scope = z.enum(scopes).meta({ id: 'Scope' })

export const KeyDraft = z
  .strictObject({ name: z.string(), scopes: z.array(z.string()), expiresAt: z.string().optional() })
  .meta({ id: 'KeyDraft' })

const keyFields = {
  id: z.string(),
  name: z.string(),
  scopes: list(Scope),
  status: z.enum(['active', 'expired', 'revoked']),
  createdAt: instant,
  expiresAt: instant.optional(),
  lastUsedAt: instant.optional(),
}
export const KeyView = z.strictObject(keyFields).meta({ id: 'KeyView' })
export const NewKey = z
  .strictObject({
    ...keyFields,
    key: z.string().optional().describe('Shown once, when the key is made; not stored anywhere'),
  })
  .meta({ id: 'NewKey' })
export const KeyList = z.strictObject({ keys: list(KeyView) }).meta({ id: 'KeyList' })
export const KeyOverlap = z
  .strictObject({ overlapMs: z.int().min(0).max(limits.keyOverlapMsMax).optional() })
  .meta({ id: 'KeyOverlap', description: 'How long the old key goes on.' })

export const SecretDraft = z
  .strictObject({
    value: z.string(),
    scope: z.enum(['tenant', 'user', 'run']).optional(),
    userId: z.string().optional(),
    runId: z.string().optional(),
  })
  .meta({ id: 'SecretDraft' })
const SecretView = z.strictObject({
  id: z.string(),
  scope: z.enum(['tenant', 'user', 'run']),
  userId: z.string().optional(),
  runId: z.string().optional(),
  updatedAt: instant,
})
export const SecretList = z
  .strictObject({ secrets: list(SecretView) })
  .meta({ id: 'SecretList', description: 'Values never come back.' })

export const RuleDraft = z
  .strictObject({ pattern: z.string(), description: z.string().optional() })
  .meta({ id: 'RuleDraft' })
export const Rule = z
  .strictObject({ id: z.string(), pattern: z.string(), description: z.string().optional() })
  .meta({ id: 'Rule' })
export const RuleList = z
  .strictObject({ rules: list(z.strictObject({ ...Rule.shape, updatedAt: instant })), builtIn: list(z.string()) })
  .meta({ id: 'RuleList' })
export const RedactionTry = z
  .strictObject({ text: z.string(), pattern: z.string().optional() })
  .meta({ id: 'RedactionTry' })
export const RedactionResult = z
  .strictObject({ text: z.string(), hits: list(z.strictObject({ rule: z.string(), count: z.int() })) })
  .meta({ id: 'RedactionResult' })

export const Settings = z
  .strictObject({
    redaction_policy: z.enum(['rewrite', 'reject']),
    extraction_payload_retention_days: z.int(),
    history_retention_days: z.int(),
    session_summary: z.boolean(),
    default_writer_priority: z.int(),
    compaction: CompactionPolicy,
  })
  .meta({ id: 'TenantSettings' })
export const SettingsChange = z.record(z.string(), z.unknown()).meta({ id: 'TenantSettingsChange' })

export const TenantDraft = z.strictObject({ id: z.string() }).meta({ id: 'TenantDraft' })
export const TenantView = z
  .strictObject({ id: z.string(), status: z.enum(['active', 'disabled']), createdAt: instant })
  .meta({ id: 'Tenant' })
export const NewTenant = z.strictObject({ ...TenantView.shape, key: NewKey }).meta({ id: 'NewTenant' })
export const TenantList = z
  .strictObject({ tenants: list(TenantView), cursor: z.string().optional() })
  .meta({ id: 'TenantList' })

export const AuditPage = z
  .strictObject({
    records: list(
      z.strictObject({
        position,
        at: instant,
        kind: z.string(),
        actor: z.string(),
        hash: z.string(),
        body: z.looseObject({}),
      }),
    ),
    head: z.strictObject({ tenant: z.string(), position, hash: z.string() }),
    cursor: z.string().optional(),
  })
  .meta({ id: 'AuditPage' })

export const AuditVerifyResult = z
  .strictObject({
    fromSeq: z.int(),
    toSeq: z.int(),
    chainValid: z.boolean(),
    checkpoints: list(z.looseObject({})),
    anomalies: list(z.looseObject({})),
  })
  .meta({ id: 'AuditVerifyResult' })

export const RedactionRequest = z
  .strictObject({ dryRun: z.boolean().optional().describe('Only count what would change') })
  .meta({ id: 'RedactionRequest', description: 'Goes over everything stored with the secrets and rules of today.' })
export const JobStarted = z.strictObject({ jobId: z.string() }).meta({ id: 'JobStarted' })

const jobStatus = z.enum(['queued', 'leased', 'completed', 'dead', 'cancelled'])
export const Job = z
  .strictObject({
    id: z.string(),
    kind: z.string(),
    status: jobStatus,
    priority: z.int(),
    attempts: z.int(),
    attemptsMax: z.int(),
    lostLeases: z.int(),
    runId: z.string().optional(),
    progress: z.unknown(),
    error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    result: z.unknown(),
    dueAt: instant,
    createdAt: instant,
    startedAt: instant.optional(),
    endedAt: instant.optional(),
  })
  .meta({ id: 'Job' })
export const JobPage = z.strictObject({ jobs: list(Job), cursor: z.string().optional() }).meta({ id: 'JobPage' })
export const JobQuery = z.strictObject({
  limit: count.max(limits.pageEntriesMax).optional(),
  cursor: z.string().optional(),
  status: jobStatus.optional(),
})

export const Schedule = z
  .strictObject({
    id: z.string(),
    cron: z.string().describe('Five or six fields, UTC'),
    kind: z.string(),
    payload: z.unknown(),
    status: z.enum(['active', 'paused']),
    isHosts: z.boolean().describe('Whether the host itself made it: then it can be paused, not changed or removed'),
    nextDueAt: instant.optional(),
    lastDueAt: instant.optional().describe('The due time it last started a job for'),
  })
  .meta({ id: 'Schedule' })
export const ScheduleList = z.strictObject({ schedules: list(Schedule) }).meta({ id: 'ScheduleList' })
export const ScheduleDraft = z
  .strictObject({ id: z.string(), cron: z.string(), kind: z.string(), payload: z.unknown().optional() })
  .meta({ id: 'ScheduleDraft' })

export const NoContent = z.null().describe('Done; there is nothing to say')
export const EventStreamText = z.string().describe('Server-sent events: `change` and `gap`, the id is the position')

const details = z.record(z.string(), z.unknown())

/** The error envelope of OpenWOP and of the host extension. */
export const ErrorEnvelope = z
  .strictObject({ error: z.string(), message: z.string(), details: details.optional() })
  .meta({ id: 'Error' })

/** The error envelope of the provenance API. */
export const ProvenanceError = z
  .strictObject({
    error: z.string(),
    code: z.string(),
    message: z.string(),
    request_id: z.string(),
    details: details.optional(),
  })
  .meta({ id: 'ProvenanceError' })
