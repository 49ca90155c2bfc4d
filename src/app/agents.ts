import type { AdminBody, AdminRecord } from '../core/admin.ts'
import type { DiscoveryDocument } from '../core/agents/advertised-capabilities.ts'
import { type AgentManifest, agentLimits, isAgentId, parseManifest } from '../core/agents/agent.ts'
import { refuseUnmetPeers } from '../core/agents/agent-requirements.ts'
import type { RunAgent } from '../core/agents/run-agent.ts'
import { canonicalJson } from '../core/canonical.ts'
import { ColophonError, invalid } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { redactValue } from '../core/redaction/redaction.ts'
import { refuseSecrets, type Scanner } from '../core/redaction/scanner.ts'
import { type PinnedVersions, pinReferences, resolveReferences } from './agent-references.ts'
import type { WriteOptions } from './commit.ts'
import { decideAndCommit } from './decide-and-commit.ts'
import { freshContext, type RedactionState } from './redaction/redaction-state.ts'
import type { Tenant } from './tenant.ts'

export type PutAgentResult = {
  readonly agentId: string
  /** False when the same document was already stored. */
  readonly created: boolean
  readonly repeated: boolean
  /** The manifest as it is stored, with secrets redacted. */
  readonly manifest: AgentManifest
}

/** Installs an agent, or replaces its manifest. Storing the same document again changes nothing. */
export async function putAgent(
  tenant: Tenant,
  document: unknown,
  advertised: DiscoveryDocument,
  options: WriteOptions = {},
): Promise<PutAgentResult> {
  const manifest = parseManifest(document)
  const { agentId } = manifest
  const { redaction } = await freshContext(tenant)
  // Before the peer check, because the error of that check quotes names of the manifest.
  await redaction.redact(({ scanNames }) => refuseSecretNames(manifest, scanNames))
  refuseUnmetPeers(manifest, advertised)
  const call = { operation: 'agents.put', manifest }
  const pinned = await pinReferences(tenant, manifest).catch(async (error: unknown) => {
    // A file may be gone since the first call with this idempotency key.
    if ((await tenant.findOutcome({ ...options, call })) === null) throw error
    return {}
  })
  const body = toBody(manifest, pinned)
  return decideAndCommit(async () => {
    const record = await tenant.storage.record(tenant.id, 'agent', agentId)
    if (record === null) await checkAgentCount(tenant)
    const isKnown = record !== null && (await isStored(record.body, body, (await freshContext(tenant)).redaction))
    const admin = isKnown ? [] : [{ kind: 'agent', id: agentId, body, expects: record?.revision ?? 0 } as const]
    const change = { kind: 'admin.agent.put', admin } as const
    const { outcome, repeated } = await tenant.commit(change, { ...options, call })
    const { redaction: newest } = await freshContext(tenant)
    const text = await newest.redact(({ scan }) => redactValue(body.text, scan))
    const stored = fromRecord({ id: agentId, body: { ...body, text } })
    return { agentId, created: outcome.admin.length > 0, repeated, manifest: stored }
  })
}

/** Whether storing the document would change nothing. With the policy `reject`, a document with a secret is always committed, so that the commit refuses it. */
async function isStored(stored: AdminBody, given: AdminBody, { redact, policy }: RedactionState): Promise<boolean> {
  const clean = { ...given, text: await redact(({ scan }) => redactValue(given.text, scan)) }
  if (policy === 'reject' && canonicalJson(clean) !== canonicalJson(given)) return false
  return canonicalJson(clean) === canonicalJson(stored)
}

/** Lists the agents of a tenant, ordered by id. */
export async function* listAgents(tenant: Tenant): AsyncGenerator<AgentManifest> {
  for await (const page of pagesOfAgents(tenant)) yield* page.map(fromRecord)
}

/** Reads agents page by page: manifests contain prompts, so all of them at once could be too much memory. */
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

/** Reads the manifest of one agent; an unknown id is refused with `not_found`. */
export async function getAgent(tenant: Tenant, agentId: string): Promise<AgentManifest> {
  const record = isAgentId(agentId) ? await tenant.storage.record(tenant.id, 'agent', agentId) : null
  if (record === null) throw new ColophonError('not_found', 'There is no agent with this id.')
  return fromRecord(record)
}

/** Uninstalls an agent. Removing an unknown agent is no error: `deleted` is false. */
export async function removeAgent(
  tenant: Tenant,
  agentId: string,
  options: WriteOptions = {},
): Promise<{ readonly deleted: boolean; readonly repeated: boolean }> {
  // A malformed id matches no agent. The commit still records the idempotency key.
  const admin = isAgentId(agentId) ? [{ kind: 'agent', id: agentId, body: null, expects: null } as const] : []
  const { outcome, repeated } = await tenant.commit(
    { kind: 'admin.agent.removed', admin },
    { ...options, call: { operation: 'agents.remove', id: String(agentId) } },
  )
  return { deleted: outcome.admin.length > 0, repeated }
}

async function checkAgentCount(tenant: Tenant): Promise<void> {
  const max = agentLimits.agentsPerTenantMax
  let known = 0
  for await (const page of pagesOfAgents(tenant)) known += page.length
  if (known < max) return
  throw invalid('agents', `must be at most ${max} per tenant`, { limit: 'agentsPerTenantMax', max })
}

/** Members that were validated and that control the host. Redaction must not rewrite them: a rewritten value would mean something else. */
const factNames: readonly string[] = [
  'modelClass',
  'role',
  'memoryShape',
  'confidence',
  'requiresCapabilities',
  'peerDependencies',
  'peerDependenciesMeta',
]

function toBody({ agentId: _id, ...members }: AgentManifest, pinned: PinnedVersions): AdminBody {
  const entries = Object.entries(members)
  const pins = Object.keys(pinned).length === 0 ? {} : { pinned }
  return {
    text: Object.fromEntries(entries.filter(([name]) => !factNames.includes(name))),
    facts: { ...Object.fromEntries(entries.filter(([name]) => factNames.includes(name))), ...pins },
    sealed: {},
  }
}

function fromRecord({ id, body }: Pick<AdminRecord, 'id' | 'body'>): AgentManifest {
  const { pinned: _versions, ...facts } = body.facts ?? {}
  // A redaction rule can match and rewrite a member name too. The persona falls back to the id.
  return { persona: id, ...body.text, ...facts, agentId: id } as AgentManifest
}

/** An agent with the texts behind its references, as a run keeps it. */
export async function loadRunAgent(tenant: Tenant, agentId: string): Promise<RunAgent> {
  const record = isAgentId(agentId) ? await tenant.storage.record(tenant.id, 'agent', agentId) : null
  if (record === null) throw new ColophonError('agent_not_found', 'The agent of the node is not installed.')
  const manifest = fromRecord(record)
  const { modelClass, confidence, memoryShape, toolAllowlist } = manifest
  const threshold = confidence?.defaultThreshold
  return {
    agentId,
    modelClass,
    hasLongTerm: memoryShape?.longTerm === true,
    isLive: tenant.host.model !== null,
    revision: record.revision,
    ...(threshold === undefined ? {} : { threshold }),
    ...(toolAllowlist === undefined ? {} : { toolAllowlist }),
    ...(await resolveReferences(tenant, manifest, (record.body.facts?.pinned ?? {}) as PinnedVersions)),
  }
}

/** Refuses secrets in the names among the facts, because redaction does not rewrite facts. */
function refuseSecretNames(manifest: AgentManifest, scan: Scanner): void {
  const { agentId, requiresCapabilities = [], peerDependencies = {}, peerDependenciesMeta = {} } = manifest
  refuseSecrets({ agentId }, scan)
  for (const name of requiresCapabilities) refuseSecrets({ requiresCapabilities: name }, scan)
  for (const name of Object.entries(peerDependencies).flat()) refuseSecrets({ peerDependencies: name }, scan)
  for (const name of Object.keys(peerDependenciesMeta)) refuseSecrets({ peerDependenciesMeta: name }, scan)
}
