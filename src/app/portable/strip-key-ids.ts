import { keyOfActor } from '../../core/access/actor.ts'
import { configuredKeyIds } from '../../core/access/api-key.ts'
import type { PortableLine } from '../../core/portable/import-line.ts'
import type { Tenant } from '../tenant.ts'

/**
 * Removes the ids of API keys of this tenant, except the caller's, from the lines. A file may be forged, so it must not attribute
 * anything to a key of this tenant. Such an actor becomes `imported:<actor>`, which keeps different actors distinct.
 */
export async function stripOtherKeyIds(
  { id, storage }: Tenant,
  lines: readonly PortableLine[],
  callerKeyId: string | null,
): Promise<readonly PortableLine[]> {
  const named = new Set(lines.flatMap(keysIn))
  const others = new Set<string>()
  for (const keyId of named) {
    if (keyId === callerKeyId) continue
    // Keys from the configuration have the same ids on every host, and no record.
    const isOwn = configuredKeyIds.has(keyId) || (await storage.record(id, 'key', keyId)) !== null
    if (isOwn) others.add(keyId)
  }
  return others.size === 0 ? lines : lines.map((line) => without(line, others))
}

function keysIn(line: PortableLine): readonly string[] {
  const ofActor = (actor: string | undefined) => keyOfActor(actor ?? '').keyId ?? []
  switch (line.type) {
    case 'writer':
      return line.changes.flatMap(({ actor }) => ofActor(actor))
    case 'sourceEvent':
      return [ofActor(line.actor)].flat()
    case 'claim':
      return [ofActor(line.pin?.actor)].flat()
    case 'version':
      return 'keyId' in line.origin && line.origin.keyId !== undefined ? [line.origin.keyId] : []
    default:
      return []
  }
}

function without(line: PortableLine, others: ReadonlySet<string>): PortableLine {
  const named = (actor: string) => (others.has(keyOfActor(actor).keyId ?? '') ? `imported:${actor}` : actor)
  switch (line.type) {
    case 'writer':
      return { ...line, changes: line.changes.map((change) => ({ ...change, actor: named(change.actor) })) }
    case 'sourceEvent':
      return { ...line, actor: named(line.actor) }
    case 'claim':
      return { ...line, pin: line.pin && { ...line.pin, actor: named(line.pin.actor) } }
    case 'version': {
      if (!('keyId' in line.origin) || !others.has(line.origin.keyId ?? '')) return line
      const { keyId: _other, ...origin } = line.origin
      return { ...line, origin }
    }
    default:
      return line
  }
}
