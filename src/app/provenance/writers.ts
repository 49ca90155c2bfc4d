import { checkKnownKeys } from '../../core/check.ts'
import { ColophonError, invalid, isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import {
  type AuthorityRules,
  checkServiceKey,
  parseDisplayName,
  parseRules,
  type RuleChange,
  type Writer,
} from '../../core/provenance/writer.ts'
import type { CommitOptions, WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Tenant } from '../tenant.ts'
import { asSourceProblem } from './source-problem.ts'

/** Services that tell memories. A writer is one record, named by its service key: the key can be taken only once. */

export type WriterDraft = Readonly<
  Record<'service_key' | 'display_name' | 'authority_rules' | 'api_key_id' | 'is_active', unknown>
>

const writerKeys = ['service_key', 'display_name', 'authority_rules', 'api_key_id', 'is_active']

type WriterFacts = Omit<Writer, 'serviceKey' | 'displayName'>

export type WriterChanged = { readonly writer: Writer; readonly repeated: boolean }

export async function createWriter(
  tenant: Tenant,
  draft: Partial<WriterDraft>,
  options: WriteOptions = {},
): Promise<WriterChanged> {
  const parsed = asSourceProblem(() => {
    checkKnownKeys('body', draft, writerKeys)
    checkServiceKey('service_key', draft.service_key)
    const displayName = parseDisplayName(draft.display_name)
    return { serviceKey: draft.service_key, displayName, authorityRules: parseRules(draft.authority_rules) }
  })
  const apiKeyId = await checkApiKey(tenant, draft.api_key_id)
  const isActive = parseActive(draft.is_active) ?? true
  const known = await listWriters(tenant)
  if (known.length >= limits.writersPerTenantMax) {
    throw invalid('service_key', `must be one of at most ${limits.writersPerTenantMax} writers`, {
      limit: 'writersPerTenantMax',
      max: limits.writersPerTenantMax,
    })
  }
  const now = tenant.now()
  const writerId = tenant.system.newId('wtr')
  const writer: Writer = { ...parsed, writerId, apiKeyId, isActive, createdAt: now, updatedAt: now, changes: [] }
  const call = { operation: 'writer.create', ...parsed, apiKeyId, isActive }
  try {
    const { repeated } = await store(tenant, writer, 0, 'admin.writer.created', { ...options, call })
    // As it was stored: a name that held a secret does not hold it there.
    return { writer: await writerOf(tenant, parsed.serviceKey), repeated }
  } catch (error) {
    if (!isColophonError(error, 'version_conflict')) throw error
    throw new ColophonError('service_key_exists', 'A writer with this service_key is registered already.')
  }
}

export async function changeWriter(
  tenant: Tenant,
  writerId: string,
  draft: Partial<WriterDraft>,
  options: WriteOptions = {},
): Promise<WriterChanged> {
  return decideAndCommit(async () => {
    const found = (await loadWriters(tenant)).find(({ writer }) => writer.writerId === writerId)
    if (found === undefined) throw new ColophonError('writer_not_found', 'There is no such writer.')
    const { writer, revision } = found
    const next = await changed(tenant, writer, draft, options.actor ?? tenant.engine.actor)
    const call = { operation: 'writer.change', writerId, draft }
    const { repeated } = await store(tenant, next, revision, 'admin.writer.changed', { ...options, call })
    return { writer: await writerOf(tenant, writer.serviceKey), repeated }
  })
}

async function changed(tenant: Tenant, writer: Writer, draft: Partial<WriterDraft>, actor: string): Promise<Writer> {
  asSourceProblem(() => {
    checkKnownKeys('body', draft, writerKeys)
    if (draft.service_key !== undefined && draft.service_key !== writer.serviceKey)
      throw invalid('service_key', 'cannot be changed: events carry it')
  })
  const now = tenant.now()
  const rules = draft.authority_rules === undefined ? null : asSourceProblem(() => parseRules(draft.authority_rules))
  const change = rules === null ? [] : [ruleChange(writer.authorityRules, rules, actor, now)]
  return {
    ...writer,
    ...('display_name' in draft ? { displayName: asSourceProblem(() => parseDisplayName(draft.display_name)) } : {}),
    ...('api_key_id' in draft ? { apiKeyId: await checkApiKey(tenant, draft.api_key_id) } : {}),
    authorityRules: rules ?? writer.authorityRules,
    isActive: parseActive(draft.is_active) ?? writer.isActive,
    updatedAt: now,
    changes: [...writer.changes, ...change].slice(-limits.writerChangesMax),
  }
}

function ruleChange(old: AuthorityRules, next: AuthorityRules, actor: string, at: number): RuleChange {
  return { at, actor, old, new: next }
}

export async function listWriters(tenant: Tenant): Promise<Writer[]> {
  return (await loadWriters(tenant)).map(({ writer }) => writer)
}

export async function getWriter(tenant: Tenant, writerId: string): Promise<Writer> {
  const writer = (await listWriters(tenant)).find((known) => known.writerId === writerId)
  if (writer === undefined) throw new ColophonError('writer_not_found', 'There is no such writer.')
  return writer
}

/** The writer of a service, or null. */
export async function findWriter(tenant: Tenant, serviceKey: string): Promise<Writer | null> {
  const record = await tenant.storage.record(tenant.id, 'writer', serviceKey)
  return record && toWriter(record.id, record.body)
}

async function writerOf(tenant: Tenant, serviceKey: string): Promise<Writer> {
  const writer = await findWriter(tenant, serviceKey)
  if (writer === null) throw new ColophonError('writer_not_found', 'There is no such writer.')
  return writer
}

async function loadWriters(tenant: Tenant) {
  const limit = limits.writersPerTenantMax
  const records = await tenant.storage.records({ tenantId: tenant.id, kind: 'writer', after: null, limit })
  return records.map(({ id, body, revision }) => ({ writer: toWriter(id, body), revision }))
}

export function toWriter(
  serviceKey: string,
  body: { text: Readonly<Record<string, unknown>>; facts?: object },
): Writer {
  const displayName = (body.text.displayName as string | undefined) ?? null
  return { ...(body.facts as WriterFacts), serviceKey, displayName }
}

function store(
  tenant: Tenant,
  { serviceKey, displayName, ...facts }: Writer,
  expects: number,
  kind: `admin.${string}`,
  options: CommitOptions,
) {
  const text = displayName === null ? {} : { displayName }
  const change = { kind: 'writer', id: serviceKey, body: { text, facts, sealed: {} }, expects } as const
  return tenant.commit({ kind, admin: [change] }, options)
}

async function checkApiKey(tenant: Tenant, value: unknown): Promise<string | null> {
  if (value === undefined || value === null) return null
  const known = typeof value === 'string' && (await tenant.storage.record(tenant.id, 'key', value)) !== null
  if (known) return value
  throw new ColophonError('writer_invalid', 'api_key_id must name a key of this tenant.', {
    details: { field: 'api_key_id' },
  })
}

function parseActive(value: unknown): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value
  throw new ColophonError('writer_invalid', 'is_active must be true or false.', { details: { field: 'is_active' } })
}
