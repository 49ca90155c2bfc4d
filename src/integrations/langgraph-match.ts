import type { ListNamespacesOperation, MatchCondition } from '@langchain/langgraph-checkpoint'

type Values = Readonly<Record<string, unknown>>

/** Whether a value matches every member of a filter: `$` operators compare, other members must be equal. */
export function isMatch(value: Values, filter: Values): boolean {
  return Object.entries(filter).every(([name, wanted]) => {
    const isComparison =
      wanted !== null && typeof wanted === 'object' && Object.keys(wanted).some((operator) => operator.startsWith('$'))
    if (!isComparison) return value[name] === wanted
    return Object.entries(wanted).every(([operator, operand]) => compare(operator, value[name], operand))
  })
}

function compare(operator: string, value: unknown, operand: unknown): boolean {
  const list: unknown[] = Array.isArray(operand) ? operand : []
  switch (operator) {
    case '$eq':
      return value === operand
    case '$ne':
      return value !== operand
    case '$gt':
      return Number(value) > Number(operand)
    case '$gte':
      return Number(value) >= Number(operand)
    case '$lt':
      return Number(value) < Number(operand)
    case '$lte':
      return Number(value) <= Number(operand)
    case '$in':
      return list.includes(value)
    case '$nin':
      return !list.includes(value)
    default:
      throw new Error(`The filter operator ${operator} is not supported.`)
  }
}

/** The distinct namespaces that match, cut to a depth, in order. */
export function namespacesOf(
  all: readonly (readonly string[])[],
  { matchConditions = [], maxDepth, limit, offset }: ListNamespacesOperation,
): string[][] {
  const matching = all
    .filter((namespace) => matchConditions.every((condition) => matches(namespace, condition)))
    .map((namespace) => JSON.stringify(namespace.slice(0, maxDepth)))
  return [...new Set(matching)]
    .sort()
    .slice(offset, offset + limit)
    .map((namespace) => JSON.parse(namespace) as string[])
}

function matches(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  const from = matchType === 'prefix' ? 0 : namespace.length - path.length
  return (
    path.length <= namespace.length && path.every((part, index) => part === '*' || part === namespace[from + index])
  )
}
