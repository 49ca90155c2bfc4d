import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'

/** Rewrites every string of a JSON value, member names included. A value nested deeper than `jsonDepthMax` is refused. */
export function mapStrings(value: unknown, rewrite: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return rewrite(value)
  if (value === null || typeof value !== 'object') return value
  const max = limits.jsonDepthMax
  if (depth >= max) throw invalid('body', `must be nested at most ${max} deep`, { limit: 'jsonDepthMax', max })
  const map = (item: unknown) => mapStrings(item, rewrite, depth + 1)
  if (Array.isArray(value)) return value.map(map)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [rewrite(key), map(item)]))
}
