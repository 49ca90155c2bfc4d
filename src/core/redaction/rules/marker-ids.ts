import { rules } from './index.ts'

/** Whether the inside of a marker is an id that this host or this tenant writes there. */
export type ExplainsMarker = (id: string) => boolean

/** `byok` and `tag` stand for what has no id of its own. */
const hostIds: ReadonlySet<string> = new Set([...rules.flatMap(({ id, label = id }) => [id, label]), 'byok', 'tag'])

/** The ids of the host, and the names of a tenant's secrets and rules. */
export function explainsWith(ids: Iterable<string>): ExplainsMarker {
  const known = new Set(ids)
  return (id) => hostIds.has(id) || known.has(id)
}

/** An id of the host's own rules rather than of a tenant's secret or rule. */
export function isHostId(id: string): boolean {
  return hostIds.has(id)
}
