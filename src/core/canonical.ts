import serialize from 'canonicalize'
import { assert } from './errors.ts'

/** The RFC 8785 form of a value: the same bytes on every machine, so that hashes of it can be compared. */
export function canonicalJson(value: unknown): string {
  const text = serialize(value)
  assert(text !== undefined, 'only JSON values have a canonical form')
  return text
}
