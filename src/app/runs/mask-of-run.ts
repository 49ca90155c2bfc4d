import { type Mask, maskOf } from '../../core/run/mask.ts'
import { maintenanceWorkflowId, type Run } from '../../core/run/run.ts'
import type { Tenant } from '../tenant.ts'
import { loadDefinition } from './workflows.ts'

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
