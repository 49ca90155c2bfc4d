import { putAgent } from '../app/agents.ts'
import type { Engine } from '../app/engine.ts'
import { listSecrets, putSecret } from '../app/redaction/vault.ts'
import { putWorkflow } from '../app/runs/workflow-registry.ts'
import type { Tenant } from '../app/tenant.ts'
import { findFile, putFile } from '../app/workspace/files.ts'
import type { DiscoveryDocument } from '../core/agents/advertised-capabilities.ts'
import { defaultWorkspace } from '../core/workspace/workspace-file.ts'
import { schemaFiles, structuredAgent } from './agent-fixture.ts'
import { fixtures } from './fixtures.ts'

const seamTenants = ['default', 'tenant-b'] as const

/** Few attempts, so that a test need not wait long for a dead letter. */
export const seamWebhookAttemptsMax = 2

const secretIds = ['openwop-conformance-canary-secret', 'conformance-test-secret']

/** The agent of the memory workflows. It requires every memory dimension, so a host that lacks one is found out. */
const agent = {
  agentId: 'core.conformance.memory-agent',
  persona: 'Memory probe',
  label: 'Conformance memory agent',
  modelClass: 'general',
  systemPrompt: 'You remember what users say.',
  memoryShape: { scratchpad: true, conversation: true, longTerm: true },
}

/** Creates the tenants, workflows, agents and secrets of the conformance tests. Existing ones are kept. */
export async function prepareSeams(engine: Engine, advertised: DiscoveryDocument): Promise<void> {
  for (const tenantId of seamTenants) {
    await engine.storage.ensureTenant(tenantId, { macKey: engine.system.newKey() }, engine.system.now())
    for (const fixture of fixtures) await putWorkflow(engine.tenant(tenantId), fixture, { actor: 'seams' })
    await putAgent(engine.tenant(tenantId), agent, advertised, { actor: 'seams' })
    await putSchemas(engine.tenant(tenantId))
    await putAgent(engine.tenant(tenantId), structuredAgent, advertised, { actor: 'seams' })
    const known = await listSecrets(engine.tenant(tenantId))
    for (const id of secretIds) {
      if (known.some((secret) => secret.id === id)) continue
      await putSecret(engine.tenant(tenantId), id, { value: engine.system.newSecret() }, { actor: 'seams' })
    }
  }
}

/** Files that are there as they should be stay at their version: the agent is pinned to it. */
async function putSchemas(tenant: Tenant): Promise<void> {
  for (const [path, content] of Object.entries(schemaFiles)) {
    const known = await findFile(tenant, defaultWorkspace, path)
    if (known?.content !== content) await putFile(tenant, defaultWorkspace, path, { content }, { actor: 'seams' })
  }
}
