import { builtInRules } from './index.ts'

/** Whether an id is one that redaction writes into markers: of a built-in rule, or of a secret or rule of the tenant. */
export type IsKnownMarkerId = (id: string) => boolean

/** `byok` and `tag` mark redactions that belong to no rule. */
const builtInIds: ReadonlySet<string> = new Set([
  ...builtInRules.flatMap(({ id, label = id }) => [id, label]),
  'byok',
  'tag',
])

/** Builds the test for marker ids from the built-in ids and the given ids of a tenant's secrets and rules. */
export function knownMarkerIds(ids: Iterable<string>): IsKnownMarkerId {
  const known = new Set(ids)
  return (id) => builtInIds.has(id) || known.has(id)
}

/** Whether an id belongs to a built-in rule and not to a secret or rule of a tenant. */
export function isBuiltInMarkerId(id: string): boolean {
  return builtInIds.has(id)
}
