import serialize from 'canonicalize'
import { invariant } from './invariant.ts'

/** The RFC 8785 canonical JSON of a value: the same bytes on every machine, so that its hashes can be compared. */
export function canonicalJson(value: unknown): string {
  const text = serialize(value)
  invariant(text !== undefined, 'only JSON values have a canonical form')
  return text
}
