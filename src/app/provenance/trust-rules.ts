import { keyOfActor } from '../../core/access/actor.ts'
import { configuredKeyIds } from '../../core/access/api-key.ts'
import { limits } from '../../core/limits.ts'
import type { Assertion } from '../../core/provenance/claim.ts'
import { type Credential, type CredentialLine, hasMixedTrust } from '../../core/provenance/content-trust.ts'
import { plainTrustRules, type TrustRules } from '../../core/provenance/resolve-conflict.ts'
import { toApiKey } from '../access/keys.ts'
import { loadSettings } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'

type Stated = Pick<Assertion, 'trust' | 'actor'>

/** What decides between these assertions besides themselves. Nothing is read when they all have the same class. */
export async function trustRulesFor(tenant: Tenant, assertions: readonly Stated[]): Promise<TrustRules> {
  if (!hasMixedTrust(assertions)) return plainTrustRules
  const { trustFloorWin: floorWin } = await loadSettings(tenant.storage, tenant.id)
  const actors = [...new Set(assertions.flatMap(({ actor }) => actor ?? []))]
  const lines = await Promise.all(actors.map(async (actor) => [actor, await lineOf(tenant, actor)] as const))
  return { floorWin, lines: new Map(lines) }
}

/** The credential of an actor, the key that made it, and so on; null for a line of more than `credentialLineMax`. */
async function lineOf(tenant: Tenant, actor: string): Promise<CredentialLine> {
  const line: Credential[] = []
  for (let next: string | null = actor; next !== null; ) {
    const { keyId } = keyOfActor(next)
    const record = keyId === undefined ? null : await tenant.storage.record(tenant.id, 'key', keyId)
    const key = record && toApiKey(record)
    // An actor without a key is the host itself, and a configured key has every scope.
    const isConfigured = keyId === undefined || configuredKeyIds.has(keyId)
    const isOperator = isConfigured || (key?.scopes.includes('memory:admin') ?? false)
    line.push({ actor: next, isOperator })
    const maker: string | null = key?.madeBy ?? null
    next = line.some((known) => known.actor === maker) ? null : maker
    if (next !== null && line.length === limits.credentialLineMax) return null
  }
  return line
}
