import {
  type ProvAttributes,
  type ProvDocument,
  type ProvElement,
  type ProvRelation,
  provRelations,
} from './document.ts'

/** A constraint of PROV that a document breaks, and the element or relation that breaks it. */
export type ProvProblem = { readonly constraint: ProvConstraint; readonly id: string }

/** The constraints that are checked. The first eight are rules of W3C PROV-CONSTRAINTS; instants are compared where both are known. */
export type ProvConstraint =
  | 'generated once'
  | 'invalidated once'
  | 'start before end'
  | 'within its activity'
  | 'generated before used'
  | 'generated before invalidated'
  | 'used before invalidated'
  | 'derived after its source'
  | 'no cycle of derivations'
  | 'refers to an element of its kind'

/** The constraints that a document breaks; none for a valid document. */
export function provProblems(document: ProvDocument): ProvProblem[] {
  return [
    ...danglingReferences(document),
    ...repeated(document, 'wasGeneratedBy', 'generated once'),
    ...repeated(document, 'wasInvalidatedBy', 'invalidated once'),
    ...outsideActivity(document),
    ...outOfOrder(document),
    ...derivations(document),
  ]
}

type Relation = { readonly id: string; readonly attributes: ProvAttributes }

function relations(document: ProvDocument, section: ProvRelation): Relation[] {
  return Object.entries(document[section] ?? {}).map(([id, attributes]) => ({ id, attributes }))
}

function danglingReferences(document: ProvDocument): ProvProblem[] {
  return (Object.keys(provRelations) as ProvRelation[]).flatMap((section) => {
    const members = Object.entries(provRelations[section]) as [string, ProvElement][]
    return relations(document, section)
      .filter(({ attributes }) =>
        members.some(([member, kind]) => !Object.hasOwn(document[kind] ?? {}, String(attributes[member]))),
      )
      .map(({ id }) => ({ constraint: 'refers to an element of its kind', id }))
  })
}

/** An entity has one generation and one invalidation at most, each by one activity at one instant. */
function repeated(
  document: ProvDocument,
  section: 'wasGeneratedBy' | 'wasInvalidatedBy',
  constraint: ProvConstraint,
): ProvProblem[] {
  const seen = new Set<string>()
  return relations(document, section).flatMap(({ id, attributes }) => {
    const entity = String(attributes['prov:entity'])
    const isRepeated = seen.has(entity)
    seen.add(entity)
    return isRepeated ? [{ constraint, id }] : []
  })
}

function outsideActivity(document: ProvDocument): ProvProblem[] {
  const activities = Object.entries(document.activity ?? {})
  const backwards = activities
    .filter(([, activity]) => isAfter(activity['prov:startTime'], activity['prov:endTime']))
    .map(([id]) => ({ constraint: 'start before end' as const, id }))
  const events = (['wasGeneratedBy', 'used', 'wasInvalidatedBy'] as const).flatMap((section) =>
    relations(document, section),
  )
  const outside = events.filter(({ attributes }) => {
    const activity = document.activity?.[String(attributes['prov:activity'])] ?? {}
    const time = attributes['prov:time']
    return isAfter(activity['prov:startTime'], time) || isAfter(time, activity['prov:endTime'])
  })
  return [...backwards, ...outside.map(({ id }) => ({ constraint: 'within its activity' as const, id }))]
}

/** The instants at which entities were generated or invalidated. */
function instantsOf(document: ProvDocument, section: 'wasGeneratedBy' | 'wasInvalidatedBy'): Map<string, unknown> {
  return new Map(
    relations(document, section).map(({ attributes }) => [String(attributes['prov:entity']), attributes['prov:time']]),
  )
}

function outOfOrder(document: ProvDocument): ProvProblem[] {
  const generated = instantsOf(document, 'wasGeneratedBy')
  const invalidated = instantsOf(document, 'wasInvalidatedBy')
  const usages = relations(document, 'used').flatMap(({ id, attributes }): ProvProblem[] => {
    const [entity, time] = [String(attributes['prov:entity']), attributes['prov:time']]
    return [
      ...(isAfter(generated.get(entity), time) ? [{ constraint: 'generated before used' as const, id }] : []),
      ...(isAfter(time, invalidated.get(entity)) ? [{ constraint: 'used before invalidated' as const, id }] : []),
    ]
  })
  const endings = relations(document, 'wasInvalidatedBy')
    .filter(({ attributes }) => isAfter(generated.get(String(attributes['prov:entity'])), attributes['prov:time']))
    .map(({ id }) => ({ constraint: 'generated before invalidated' as const, id }))
  return [...usages, ...endings]
}

function derivations(document: ProvDocument): ProvProblem[] {
  const generated = instantsOf(document, 'wasGeneratedBy')
  const sources = new Map<string, string[]>()
  const problems: ProvProblem[] = []
  for (const { id, attributes } of relations(document, 'wasDerivedFrom')) {
    const [made, source] = [String(attributes['prov:generatedEntity']), String(attributes['prov:usedEntity'])]
    const known = sources.get(made)
    if (known === undefined) sources.set(made, [source])
    else known.push(source)
    if (isAfter(generated.get(source), generated.get(made)))
      problems.push({ constraint: 'derived after its source', id })
  }
  for (const id of onCycles(sources)) problems.push({ constraint: 'no cycle of derivations', id })
  return problems
}

/** Entities that are derived from themselves. Each derivation is followed once, depth first, so long histories cost no more. */
function onCycles(sources: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set<string>()
  const done = new Set<string>()
  for (const start of sources.keys()) {
    const path: { readonly id: string; next: number }[] = [{ id: start, next: 0 }]
    const onPath = new Map([[start, 0]])
    for (let last = path.at(-1); last !== undefined && !done.has(start); last = path.at(-1)) {
      const source = sources.get(last.id)?.[last.next++]
      if (source === undefined) {
        done.add(last.id)
        onPath.delete(last.id)
        path.pop()
      } else if (onPath.has(source)) {
        for (const { id } of path.slice(onPath.get(source))) found.add(id)
      } else if (!done.has(source)) {
        onPath.set(source, path.length)
        path.push({ id: source, next: 0 })
      }
    }
  }
  return found
}

/** Whether both instants are known and the first is later. */
function isAfter(first: unknown, second: unknown): boolean {
  return typeof first === 'string' && typeof second === 'string' && Date.parse(first) > Date.parse(second)
}
