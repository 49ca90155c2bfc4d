import { setTimeout as sleep } from 'node:timers/promises'
import { openSecrets } from '../app/redaction/vault-access.ts'
import type { HostNodeRequest, NodeResult, NodeType } from '../app/runs/node-type.ts'
import { sha256 } from '../core/audit/digest.ts'
import { toInstant } from '../core/check.ts'
import { withoutClass } from '../core/entries/entry.ts'
import { ColophonError } from '../core/errors.ts'
import { countTokens } from '../core/search/token-budget.ts'
import { identity } from '../nodes/identity.ts'
import { agentProbe } from './agent-fixture.ts'
import { answeringGate } from './conversation.ts'
import { mockAgent } from './mock-agent.ts'
import { plannedSupervisor } from './supervisor.ts'

/** Node types that only conformance workflows use. They use the real memory, like any other node. */

/** `core.identity`, extended by the memory probes that its config can name. */
const probingIdentity: NodeType = {
  ...identity,
  // The probes read and write memory.
  replay: 'effects',
  async execute(request: HostNodeRequest) {
    if (request.config.emitDuplicateMessageId === true) return duplicate(request)
    const action = request.config.memoryAction
    if (action === undefined) return identity.execute(request)
    const probe = typeof action === 'string' && Object.hasOwn(probes, action) ? probes[action] : undefined
    if (probe) return probe(request, request.node.agent?.memoryRef ?? 'conformance/agent-memory')
    return { kind: 'failed', error: { code: 'validation_error', message: 'The memory action is not known.' } }
  },
}

/** Two messages with one id: the channel has it once. */
function duplicate({ now }: HostNodeRequest): NodeResult {
  const message = { messageId: 'twice', from: 'host', role: 'system', ts: now, turnIndex: 0, content: 'hello' } as const
  const write = { channel: 'messages', message }
  return { kind: 'completed', messages: [write, write] }
}

type Probe = (request: HostNodeRequest, memoryRef: string) => Promise<NodeResult>

/** A lifetime that is long enough to store the entry on a busy machine before it expires. */
const shortMs = 700

const budgetDefault = 800

const probes: Readonly<Record<string, Probe>> = {
  async 'write-then-read'({ memory }, memoryRef) {
    const { id } = await memory.put(memoryRef, { content: 'The round trip of a memory.', tags: ['conformance'] })
    const readback = await memory.get(memoryRef, id)
    return landed({ memoryReadback: readback && withoutClass(readback) })
  },

  async 'redaction-probe'(request, memoryRef) {
    const { memory, config } = request
    const value = await secretOf(request, String(config.byokSecretId))
    const { id } = await memory.put(memoryRef, { content: `The service answers to ${value} and to nothing else.` })
    const readback = await memory.get(memoryRef, id)
    if (readback?.content.includes(value))
      return { kind: 'failed', error: { code: 'secret_leakage', message: 'The secret was stored.' } }
    return landed({ memoryReadback: readback && withoutClass(readback) })
  },

  async 'ttl-probe'({ memory, tenant }, memoryRef) {
    const now = tenant.now()
    const expired = await memory.put(memoryRef, { content: 'Gone soon.', expiresAt: toInstant(now + shortMs) })
    const fresh = await memory.put(memoryRef, { content: 'Here for a day.', expiresAt: toInstant(now + 86_400_000) })
    // Stored before it expires, read after.
    await expired.stored()
    await sleep(shortMs + 20)
    const memoryList = (await memory.list(memoryRef, { limit: 50 })).map(withoutClass)
    return landed({ memoryList, freshId: fresh.id, expiredId: expired.id })
  },

  async 'cross-tenant-probe'({ memory, config }, memoryRef) {
    const { id } = await memory.put(memoryRef, { content: 'Mine.' })
    const ownerProbe = (await memory.list(memoryRef, { limit: 50 })).map(withoutClass)
    const crossTenantProbe = (await memory.list(String(config.probeMemoryRef), { limit: 50 })).map(withoutClass)
    return landed({ ownerEntryId: id, ownerProbe, crossTenantProbe })
  },

  /** Writes more than the token budget, one entry that alone exceeds it, and a newest entry with a secret. */
  async 'list-budgeted'(request, memoryRef) {
    const { memory, config } = request
    const tokenBudget = typeof config.tokenBudget === 'number' ? config.tokenBudget : budgetDefault
    const secret = await secretOf(request, String(config.byokSecretId))
    const half = Math.ceil(tokenBudget / 2)
    for (const bird of ['heron', 'stork']) await memory.put(memoryRef, { content: `A ${bird}. `.padEnd(half * 4, '.') })
    const large = await memory.put(memoryRef, { content: 'A crane. '.padEnd((tokenBudget + 1) * 4, '.') })
    const newest = await memory.put(memoryRef, { content: `The gate opens with ${secret}` })
    const budgetedEntries = (await memory.list(memoryRef, { tokenBudget })).map(withoutClass)
    const byRelevance = await memory.search(memoryRef, 'heron', { tokenBudget })
    const ids = budgetedEntries.map(({ id }) => id)
    return landed({
      tokenBudget,
      budgetedTokenTotal: budgetedEntries.reduce((sum, { content }) => sum + countTokens(content), 0),
      budgetedEntries,
      overBudgetEntryId: large.id,
      overBudgetEntryOmitted: !ids.includes(large.id),
      redactedContentSample: budgetedEntries.find(({ id }) => id === newest.id)?.content ?? '',
      crossTenantBudgetedProbe: (await memory.list(String(config.probeMemoryRef), { tokenBudget })).map(withoutClass),
      recencyOrder: ids,
      relevanceOrder: byRelevance.map(({ entry }) => entry.id),
    })
  },
}

function landed(variables: Readonly<Record<string, unknown>>): NodeResult {
  return { kind: 'completed', variables }
}

/** Resolves a secret and returns only its digest and length. */
const secretEcho: NodeType = {
  typeId: 'conformance.secret.echo',
  description: 'Gives the digest and the length of a secret.',
  config: { secretId: { description: 'the id of the secret' } },
  replay: 'computes',
  async execute(request: HostNodeRequest) {
    const value = await secretOf(request, String(request.config.secretId))
    const digest = { secretSha256: sha256(value), secretLength: value.length }
    return { kind: 'completed', outputs: digest, variables: digest, eventOutputs: digest }
  },
}

const requiresMissing: NodeType = {
  typeId: 'conformance.requiresMissing',
  description: 'Requires a capability that no host has.',
  config: {},
  replay: 'computes',
  requires: ['conformance.never-provided'],
  execute: async () => ({ kind: 'completed' }),
}

async function secretOf({ tenant }: HostNodeRequest, secretId: string): Promise<string> {
  const secrets = await openSecrets(tenant.storage, tenant.engine.vault, tenant.id)
  const secret = secrets.find(({ id }) => id === secretId)
  if (secret === undefined) throw new ColophonError('not_found', 'There is no such secret.')
  return secret.value
}

export const seamNodes: readonly NodeType[] = [
  probingIdentity,
  secretEcho,
  requiresMissing,
  plannedSupervisor,
  mockAgent,
  agentProbe,
  answeringGate,
]
