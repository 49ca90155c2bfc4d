import type { AdminBody, AdminRecord } from '../core/admin.ts'
import { type AgentManifest, agentLimits, isAgentId, parseManifest } from '../core/agents/agent.ts'
import { refuseUnmetPeers } from '../core/agents/agent-needs.ts'
import type { Advertised } from '../core/agents/capability-claims.ts'
import { canonicalJson } from '../core/canonical.ts'
import { ColophonError, invalid } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { redactValue } from '../core/redaction/redaction.ts'
import { refuseSecrets, type Scanner } from '../core/redaction/scanner.ts'
import type { WriteOptions } from './commit.ts'
import { decideAndCommit } from './decide-and-commit.ts'
import { freshContext, type RedactionState } from './redaction/redaction-state.ts'
import type { Tenant } from './tenant.ts'

export type PutAgent = {
  readonly agentId: string
  /** False when this very document was there already. */
  readonly created: boolean
  readonly repeated: boolean
  /** As it is stored: without secrets. */
  readonly manifest: AgentManifest
}

/** Installs an agent, or changes it. The same document again changes nothing. */
export async function putAgent(
  tenant: Tenant,
  document: unknown,
  advertised: Advertised,
  options: WriteOptions = {},
): Promise<PutAgent> {
  const manifest = parseManifest(document)
  const { agentId } = manifest
  const body = toBody(manifest)
  const { redaction } = await freshContext(tenant)
  // First, because the refusal after it names what is missing.
  await redaction.redact(({ scanNames }) => refuseSecretNames(manifest, scanNames))
  refuseUnmetPeers(manifest, advertised)
  return decideAndCommit(async () => {
    const record = await tenant.storage.record(tenant.id, 'agent', agentId)
    if (record === null) await checkRoom(tenant)
    const isKnown = record !== null && (await isStored(record.body, body, (await freshContext(tenant)).redaction))
    const admin = isKnown ? [] : [{ kind: 'agent', id: agentId, body, expects: record?.revision ?? 0 } as const]
    const call = { operation: 'agents.put', manifest }
    const change = { kind: 'admin.agent.put', admin } as const
    const { outcome, repeated } = await tenant.commit(change, { ...options, call })
    const { redaction: newest } = await freshContext(tenant)
    const text = await newest.redact(({ scan }) => redactValue(body.text, scan))
    const stored = fromRecord({ id: agentId, body: { ...body, text } })
    return { agentId, created: outcome.admin.length > 0, repeated, manifest: stored }
  })
}

/** Whether storing it would change nothing. Where secrets are refused, a document that holds one has to be looked at. */
async function isStored(stored: AdminBody, given: AdminBody, { redact, policy }: RedactionState): Promise<boolean> {
  const clean = { ...given, text: await redact(({ scan }) => redactValue(given.text, scan)) }
  if (policy === 'reject' && canonicalJson(clean) !== canonicalJson(given)) return false
  return canonicalJson(clean) === canonicalJson(stored)
}

/** In order of id. */
export async function* listAgents(tenant: Tenant): AsyncGenerator<AgentManifest> {
  for await (const page of pagesOfAgents(tenant)) yield* page.map(fromRecord)
}

/** Manifests are large, prompts and all: never all of them at once. */
async function* pagesOfAgents(tenant: Tenant): AsyncGenerator<readonly AdminRecord[]> {
  const limit = limits.pageEntriesDefault
  for (let after: string | null = null; ; ) {
    const page: readonly AdminRecord[] = await tenant.storage.records({
      tenantId: tenant.id,
      kind: 'agent',
      after,
      limit,
    })
    yield page
    after = page.at(-1)?.id ?? null
    if (page.length < limit) return
  }
}

export async function getAgent(tenant: Tenant, agentId: string): Promise<AgentManifest> {
  const record = isAgentId(agentId) ? await tenant.storage.record(tenant.id, 'agent', agentId) : null
  if (record === null) throw new ColophonError('not_found', 'There is no agent with this id.')
  return fromRecord(record)
}

export async function removeAgent(
  tenant: Tenant,
  agentId: string,
  options: WriteOptions = {},
): Promise<{ readonly deleted: boolean; readonly repeated: boolean }> {
  // What is no agent's id names nothing; the call is still remembered by its key.
  const admin = isAgentId(agentId) ? [{ kind: 'agent', id: agentId, body: null, expects: null } as const] : []
  const { outcome, repeated } = await tenant.commit(
    { kind: 'admin.agent.removed', admin },
    { ...options, call: { operation: 'agents.remove', id: String(agentId) } },
  )
  return { deleted: outcome.admin.length > 0, repeated }
}

async function checkRoom(tenant: Tenant): Promise<void> {
  const max = agentLimits.agentsPerTenantMax
  let known = 0
  for await (const page of pagesOfAgents(tenant)) known += page.length
  if (known < max) return
  throw invalid('agents', `must be at most ${max} per tenant`, { limit: 'agentsPerTenantMax', max })
}

/** Members that were checked one by one and decide what the host does: a rewritten one would mean something else. */
const factNames: readonly string[] = [
  'modelClass',
  'role',
  'memoryShape',
  'confidence',
  'requiresCapabilities',
  'peerDependencies',
  'peerDependenciesMeta',
]

function toBody({ agentId: _id, ...members }: AgentManifest): AdminBody {
  const entries = Object.entries(members)
  return {
    text: Object.fromEntries(entries.filter(([name]) => !factNames.includes(name))),
    facts: Object.fromEntries(entries.filter(([name]) => factNames.includes(name))),
    sealed: {},
  }
}

function fromRecord({ id, body }: Pick<AdminRecord, 'id' | 'body'>): AgentManifest {
  // Redaction rewrites names of members too, if a rule fits them; an agent has a name in any case.
  return { persona: id, ...body.text, ...body.facts, agentId: id } as AgentManifest
}

/** Facts are not rewritten, so the names among them may not hold a secret. */
function refuseSecretNames(manifest: AgentManifest, scan: Scanner): void {
  const { agentId, requiresCapabilities = [], peerDependencies = {}, peerDependenciesMeta = {} } = manifest
  refuseSecrets({ agentId }, scan)
  for (const name of requiresCapabilities) refuseSecrets({ requiresCapabilities: name }, scan)
  for (const name of Object.entries(peerDependencies).flat()) refuseSecrets({ peerDependencies: name }, scan)
  for (const name of Object.keys(peerDependenciesMeta)) refuseSecrets({ peerDependenciesMeta: name }, scan)
}
