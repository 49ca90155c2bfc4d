import { keyStatus } from '../../core/access/api-key.ts'
import { ColophonError, invalid, isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import {
  type AuthorityChange,
  type AuthorityRules,
  defaultAuthorityRules,
  type Writer,
} from '../../core/provenance/writer.ts'
import { toApiKey } from '../access/keys.ts'
import type { CommitOptions, WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Tenant } from '../tenant.ts'

/** Source services. A writer is one record whose id is its service key, so a service key can be registered only once. */

export type WriterDraft = Pick<Writer, 'serviceKey'> &
  Partial<Pick<Writer, 'displayName' | 'authorityRules' | 'apiKeyId' | 'isActive'>>

type WriterFacts = Omit<Writer, 'serviceKey' | 'displayName'>

export type WriterChanged = { readonly writer: Writer; readonly repeated: boolean }

/** Registers a source service with its authority rules. */
export async function createWriter(
  tenant: Tenant,
  {
    serviceKey,
    displayName = null,
    authorityRules = defaultAuthorityRules,
    apiKeyId = null,
    isActive = true,
  }: WriterDraft,
  options: WriteOptions = {},
): Promise<WriterChanged> {
  const refusal = await refuseApiKey(tenant, apiKeyId)
  const facts = { serviceKey, displayName, authorityRules, apiKeyId, isActive }
  const write = { ...options, call: { operation: 'writer.create', ...facts } }
  // A retry of a call that was accepted gets its result, also when the key has ended since.
  if (refusal !== null && (await tenant.findOutcome(write)) === null) throw refusal
  if ((await listWriters(tenant)).length >= limits.writersPerTenantMax) {
    // A retry of the call that registered the last allowed writer still gets its result.
    if (await tenant.findOutcome(write)) return { writer: await writerOf(tenant, serviceKey), repeated: true }
    throw invalid('serviceKey', `must be one of at most ${limits.writersPerTenantMax} writers`, {
      limit: 'writersPerTenantMax',
      max: limits.writersPerTenantMax,
    })
  }
  const now = tenant.now()
  const writerId = tenant.system.newId('wtr')
  const writer: Writer = { ...facts, writerId, createdAt: now, updatedAt: now, changes: [] }
  try {
    const { repeated } = await store(tenant, writer, 0, 'admin.writer.created', write)
    // Read back as it was stored, with secrets redacted from its name.
    return { writer: await writerOf(tenant, serviceKey), repeated }
  } catch (error) {
    if (!isColophonError(error, 'version_conflict')) throw error
    throw new ColophonError('service_key_exists', 'A writer with this service key is registered already.')
  }
}

/** Changes a writer. Its service key cannot be changed. Changed rules count for new assertions; `startReresolve` applies them to old ones. */
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
    const next = await changedWriter(tenant, writer, draft, options.actor ?? tenant.engine.actor)
    const call = { operation: 'writer.change', writerId, draft }
    const { repeated } = await store(tenant, next, revision, 'admin.writer.changed', { ...options, call })
    return { writer: await writerOf(tenant, writer.serviceKey), repeated }
  })
}

/** The writer after a change. */
export async function changedWriter(
  tenant: Tenant,
  writer: Writer,
  draft: Partial<WriterDraft>,
  actor: string,
): Promise<Writer> {
  const { serviceKey = writer.serviceKey, authorityRules: rules, ...change } = draft
  if (serviceKey !== writer.serviceKey) throw wrongWriter('serviceKey', 'cannot be changed: events carry it')
  const refusal = await refuseApiKey(tenant, change.apiKeyId ?? null)
  if (refusal !== null) throw refusal
  const now = tenant.now()
  const changes = rules === undefined ? [] : [ruleChange(writer.authorityRules, rules, actor, now)]
  return {
    ...writer,
    ...change,
    // Only the key that is named now writes for the writer.
    ...(change.apiKeyId === undefined ? {} : { replacedKeyIds: [] }),
    authorityRules: rules ?? writer.authorityRules,
    updatedAt: now,
    changes: [...writer.changes, ...changes].slice(-limits.writerChangesMax),
  }
}

function ruleChange(old: AuthorityRules, next: AuthorityRules, actor: string, at: number): AuthorityChange {
  return { at, actor, old, new: next }
}

type Range = { readonly after: string | null; readonly limit: number }
const all: Range = { after: null, limit: limits.writersPerTenantMax }

/** Lists writers ordered by service key. */
export async function listWriters(tenant: Tenant, range: Range = all): Promise<Writer[]> {
  return (await loadWriters(tenant, range)).map(({ writer }) => writer)
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

/** Writers with the revision of their record. */
export async function loadWriters(tenant: Tenant, range: Range = all) {
  const records = await tenant.storage.records({ tenantId: tenant.id, kind: 'writer', ...range })
  return records.map(({ id, body, revision }) => ({ writer: toWriter(id, body), revision }))
}

export function toWriter(
  serviceKey: string,
  body: { text: Readonly<Record<string, unknown>>; facts?: object },
): Writer {
  const displayName = (body.text.displayName as string | undefined) ?? null
  return { ...(body.facts as WriterFacts), serviceKey, displayName }
}

function store(tenant: Tenant, writer: Writer, expects: number, kind: `admin.${string}`, options: CommitOptions) {
  return tenant.commit({ kind, admin: [toRecord(writer, expects)] }, options)
}

/** The record of a writer, in place of the one with this revision. */
export function toRecord({ serviceKey, displayName, ...facts }: Writer, expects: number) {
  const text = displayName === null ? {} : { displayName }
  return { kind: 'writer', id: serviceKey, body: { text, facts, sealed: {} }, expects } as const
}

/** Why a writer cannot be bound to this key: no call could write in its name. */
async function refuseApiKey(tenant: Tenant, apiKeyId: string | null): Promise<ColophonError | null> {
  if (apiKeyId === null) return null
  const record = await tenant.storage.record(tenant.id, 'key', apiKeyId)
  if (record === null) return wrongWriter('apiKeyId', 'must name a key of this tenant')
  const status = keyStatus(toApiKey(record), tenant.expiryNow())
  if (status === 'active') return null
  return wrongWriter('apiKeyId', `must name a valid key of this tenant: this one is ${status}`)
}

function wrongWriter(field: string, problem: string): ColophonError {
  return new ColophonError('writer_invalid', `${field} ${problem}.`, { details: { field } })
}
