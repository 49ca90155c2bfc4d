import type { SchemaDifference, SchemaObject } from '../../ports/database-snapshot.ts'

/** An object of a schema: a definition is compared as text. */
export type SchemaFact = {
  readonly what: SchemaObject
  /** A column, trigger or policy after its table: `audit.hash`. */
  readonly name: string
  /** Null where only the name counts. */
  readonly definition: string | null
}

const keyOf = ({ what, name }: SchemaFact) => `${what} ${name}`

/**
 * What a database has otherwise than the migrations made it. `isOwn` says which further objects the product may have made itself while it ran. Tables that
 * the migrations do not know are not looked at: they may belong to another program, and change nothing in ours without a trigger or a rule.
 */
export function compareSchema(
  expected: readonly SchemaFact[],
  found: readonly SchemaFact[],
  isOwn: (fact: SchemaFact) => boolean = () => false,
): SchemaDifference[] {
  const stored = new Map(found.map((fact) => [keyOf(fact), fact]))
  const known = new Set(expected.map(keyOf))
  const differences = expected.flatMap((fact): SchemaDifference[] => {
    const there = stored.get(keyOf(fact))
    const { what, name, definition } = fact
    if (there === undefined) return [{ problem: 'gone', what, name }]
    return definition === null || there.definition === definition ? [] : [{ problem: 'changed', what, name }]
  })
  const added = found.filter((fact) => !known.has(keyOf(fact)) && fact.what !== 'table' && !isOwn(fact))
  return [...differences, ...added.map(({ what, name }) => ({ problem: 'unrecorded' as const, what, name }))]
}
