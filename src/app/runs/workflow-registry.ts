import { canonicalJson } from '../../core/canonical.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { type Mask, maskOf } from '../../core/run/mask.ts'
import { maintenanceWorkflowId, type Run } from '../../core/run/run.ts'
import { parseWorkflow, type WorkflowDefinition } from '../../core/workflow/definition.ts'
import { containsErased, showErased } from '../../core/workflow/erased-value.ts'
import type { WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Engine } from '../engine.ts'
import type { Tenant } from '../tenant.ts'

/** Registered workflows. A changed document is a new version, and a run keeps the version it started with. */

export type RegisteredWorkflow = {
  readonly id: string
  readonly version: number
  /** False when the newest version is the same document. */
  readonly isNew: boolean
  readonly repeated: boolean
}

/** Registers a workflow document: the next version, or none if the newest one is the same. */
export async function putWorkflow(
  tenant: Tenant,
  document: unknown,
  options: WriteOptions = {},
  /** Further checks, before anything is stored. */
  check: (definition: WorkflowDefinition) => Promise<void> = async () => {},
): Promise<RegisteredWorkflow> {
  const definition = parseWorkflow(document, (typeId) => tenant.host.nodes.get(typeId))
  if (definition.id === maintenanceWorkflowId)
    throw invalid('id', 'must not be the id of the host’s maintenance workflow')
  await check(definition)
  const { digest } = await tenant.context()
  const fingerprint = digest(canonicalJson(definition))
  return decideAndCommit(async () => {
    const current = await tenant.storage.record(tenant.id, 'workflow', definition.id)
    // A version that lost a forgotten name is another document than the one that was sent.
    const isKnown =
      current?.body.sealed.fingerprint === fingerprint &&
      !containsErased(await loadDefinition(tenant, definition.id, current.revision))
    // With an idempotency key the call is stored even if it changes nothing.
    if (current && isKnown && options.idempotencyKey === undefined)
      return { id: definition.id, version: current.revision, isNew: false, repeated: false }
    if (current === null) await checkWorkflowLimit(tenant)
    const version = (current?.revision ?? 0) + 1
    const head = { text: {}, sealed: { fingerprint } }
    const body = { text: definition as unknown as Record<string, unknown>, sealed: {} }
    const admin = [
      { kind: 'workflow', id: definition.id, body: head, expects: current?.revision ?? 0 },
      { kind: 'workflow-version', id: versionId(definition.id, version), body, expects: 0 },
    ] as const
    const { outcome, repeated } = await tenant.commit(
      { kind: 'admin.workflow.registered', admin: isKnown ? [] : admin },
      { ...options, call: { operation: 'workflow.put', fingerprint } },
    )
    // The version that this call created, or the first call with its idempotency key.
    const made = outcome.admin.find((name) => name.startsWith(versionId(definition.id, '')))
    const shown = made === undefined ? (current?.revision ?? version) : Number(made.split('@').at(-1))
    return { id: definition.id, version: shown, isNew: made !== undefined, repeated }
  })
}

async function checkWorkflowLimit(tenant: Tenant): Promise<void> {
  const known = await tenant.storage.records({
    tenantId: tenant.id,
    kind: 'workflow',
    after: null,
    limit: limits.workflowsPerTenantMax,
  })
  if (known.length < limits.workflowsPerTenantMax) return
  throw invalid('workflows', `must be at most ${limits.workflowsPerTenantMax} per tenant`, {
    limit: 'workflowsPerTenantMax',
    max: limits.workflowsPerTenantMax,
  })
}

export type WorkflowSummary = { readonly id: string; readonly version: number; readonly name: string }

/** The newest versions of the tenant’s workflows, by id. */
export async function listWorkflows(
  tenant: Tenant,
  page: { after: string | null; limit: number },
): Promise<WorkflowSummary[]> {
  const records = await tenant.storage.records({ tenantId: tenant.id, kind: 'workflow', ...page })
  return Promise.all(
    records.map(async ({ id, revision }) => {
      const { name } = await loadDefinition(tenant, id, revision)
      return { id, version: revision, name }
    }),
  )
}

/** The newest version of a workflow; null when there is none with this id. */
export async function currentWorkflow(
  tenant: Tenant,
  workflowId: string,
): Promise<{ readonly version: number; readonly definition: WorkflowDefinition } | null> {
  const record = await tenant.storage.record(tenant.id, 'workflow', workflowId)
  if (record === null) return null
  const definition = await loadDefinition(tenant, workflowId, record.revision)
  return { version: record.revision, definition }
}

const cachedMax = 1_000
const caches = new WeakMap<Engine['storage'], Map<string, WorkflowDefinition>>()

/** Clears the cache after re-redaction: a cached definition may hold a secret that was removed from the store. */
export function clearWorkflowCache(engine: Engine): void {
  caches.get(engine.storage)?.clear()
}

/** The newest version as it is stored now, not from the cache. For clients that read it. */
export async function readWorkflow(tenant: Tenant, workflowId: string): Promise<WorkflowDefinition | null> {
  const head = await tenant.storage.record(tenant.id, 'workflow', workflowId)
  const record =
    head && (await tenant.storage.record(tenant.id, 'workflow-version', versionId(workflowId, head.revision)))
  return record && (showErased(record.body.text) as unknown as WorkflowDefinition)
}

/**
 * One version of a workflow, from a cache. A version changes only when a forget erases a name in it; that changes the redaction version too, by which
 * every server knows that what it has in memory is old.
 */
export async function loadDefinition(tenant: Tenant, workflowId: string, version: number): Promise<WorkflowDefinition> {
  const cache = caches.get(tenant.storage) ?? new Map<string, WorkflowDefinition>()
  caches.set(tenant.storage, cache)
  const { redaction } = await tenant.context()
  const key = `${tenant.id}\u0000${versionId(workflowId, version)}\u0000${redaction.version}`
  const known = cache.get(key)
  if (known) return known
  const record = await tenant.storage.record(tenant.id, 'workflow-version', versionId(workflowId, version))
  if (record === null) throw new ColophonError('not_found', 'There is no such workflow.')
  const definition = record.body.text as unknown as WorkflowDefinition
  if (cache.size >= cachedMax) cache.clear()
  cache.set(key, definition)
  return definition
}

function versionId(workflowId: string, version: number | ''): string {
  return `${workflowId}@${version}`
}

/** The mask for values that the workflow of a run marks as sensitive; null for maintenance runs, which have no workflow. */
export async function maskOfRun(tenant: Tenant, { workflowId, workflowVersion }: Run): Promise<Mask | null> {
  if (workflowId === maintenanceWorkflowId) return null
  const definition = await loadDefinition(tenant, workflowId, workflowVersion)
  return maskOf(definition, await maskDigest(tenant))
}

/** The tenant's keyed digest in hexadecimal, as OpenWOP wants hashes. */
export async function maskDigest(tenant: Tenant): Promise<Mask['digest']> {
  const { digest } = await tenant.context()
  return (text) => Buffer.from(digest(text), 'base64url').toString('hex')
}
