import { canonicalJson } from '../../core/canonical.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { type Mask, maskOf } from '../../core/run/mask.ts'
import { maintenanceWorkflowId, type Run } from '../../core/run/run.ts'
import { parseWorkflow, type WorkflowDefinition } from '../../core/workflow/definition.ts'
import type { WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Engine } from '../engine.ts'
import type { Tenant } from '../tenant.ts'

/** Workflows are registered; a changed document is a new version, and a run keeps the version it began with. */

export type RegisteredWorkflow = {
  readonly id: string
  readonly version: number
  /** False when the very same document was there already. */
  readonly isNew: boolean
  readonly repeated: boolean
}

export async function putWorkflow(
  tenant: Tenant,
  document: unknown,
  options: WriteOptions = {},
): Promise<RegisteredWorkflow> {
  const definition = parseWorkflow(document, (typeId) => tenant.host.nodes.get(typeId))
  if (definition.id === maintenanceWorkflowId) throw invalid('id', 'must not be the name of the host’s own work')
  const { digest } = await tenant.context()
  const fingerprint = digest(canonicalJson(definition))
  return decideAndCommit(async () => {
    const current = await tenant.storage.record(tenant.id, 'workflow', definition.id)
    const isKnown = current?.body.sealed.fingerprint === fingerprint
    // With a key the call is remembered also when it changes nothing.
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
    // What this call made, or the first one with its key did.
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

/** The newest version of a workflow; null when there is none of this name. */
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

/** What is cached may hold a secret that was taken out of the store since: a pass over the store makes it be read anew. */
export function forgetDefinitions(engine: Engine): void {
  caches.get(engine.storage)?.clear()
}

/** The newest version as it is stored now, for those who look at it. */
export async function readWorkflow(tenant: Tenant, workflowId: string): Promise<WorkflowDefinition | null> {
  const head = await tenant.storage.record(tenant.id, 'workflow', workflowId)
  const record =
    head && (await tenant.storage.record(tenant.id, 'workflow-version', versionId(workflowId, head.revision)))
  return record && (record.body.text as unknown as WorkflowDefinition)
}

/** A version says the same for ever, so runs read it once. */
export async function loadDefinition(tenant: Tenant, workflowId: string, version: number): Promise<WorkflowDefinition> {
  const cache = caches.get(tenant.storage) ?? new Map<string, WorkflowDefinition>()
  caches.set(tenant.storage, cache)
  const key = `${tenant.id}\u0000${versionId(workflowId, version)}`
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

/** What the workflow of a run calls sensitive; the host's own runs have no workflow. */
export async function maskOfRun(tenant: Tenant, { workflowId, workflowVersion }: Run): Promise<Mask | null> {
  if (workflowId === maintenanceWorkflowId) return null
  const definition = await loadDefinition(tenant, workflowId, workflowVersion)
  return maskOf(definition, await maskDigest(tenant))
}

/** The protocol writes hashes in hexadecimal. */
export async function maskDigest(tenant: Tenant): Promise<Mask['digest']> {
  const { digest } = await tenant.context()
  return (text) => Buffer.from(digest(text), 'base64url').toString('hex')
}
