/** A value in PROV-JSON: plain, or a typed literal such as a qualified name. */
export type ProvValue = string | number | boolean | { readonly $: string; readonly type: string }

/** The attributes of an element or a relation, by qualified name. */
export type ProvAttributes = Readonly<Record<string, ProvValue | readonly ProvValue[]>>

/** The relations that are used here, and the members that name what they relate. */
export const provRelations = {
  wasGeneratedBy: { 'prov:entity': 'entity', 'prov:activity': 'activity' },
  used: { 'prov:activity': 'activity', 'prov:entity': 'entity' },
  wasInvalidatedBy: { 'prov:entity': 'entity', 'prov:activity': 'activity' },
  wasDerivedFrom: { 'prov:generatedEntity': 'entity', 'prov:usedEntity': 'entity' },
  wasAttributedTo: { 'prov:entity': 'entity', 'prov:agent': 'agent' },
  wasAssociatedWith: { 'prov:activity': 'activity', 'prov:agent': 'agent' },
  actedOnBehalfOf: { 'prov:delegate': 'agent', 'prov:responsible': 'agent' },
  specializationOf: { 'prov:specificEntity': 'entity', 'prov:generalEntity': 'entity' },
} as const

export type ProvElement = 'entity' | 'activity' | 'agent'
export type ProvRelation = keyof typeof provRelations

/** A document in PROV-JSON (W3C member submission): elements by id, and relations by id. A section without members is absent. */
export type ProvDocument = { readonly prefix: Readonly<Record<string, string>> } & {
  readonly [Section in ProvElement | ProvRelation]?: Readonly<Record<string, ProvAttributes>>
}

/** A qualified name as a value: a plain string would be a literal text. */
export function qualifiedName(name: string): ProvValue {
  return { $: name, type: 'prov:QUALIFIED_NAME' }
}

/** Collects a document. An element that is added again gets the attributes and types of both; an equal relation is added once. */
export class ProvBuilder {
  readonly #prefix: Readonly<Record<string, string>>
  readonly #sections = new Map<ProvElement | ProvRelation, Map<string, ProvAttributes>>()
  readonly #known = new Set<string>()

  constructor(prefix: Readonly<Record<string, string>>) {
    this.#prefix = prefix
  }

  /** Adds an element of a type of our vocabulary. */
  element(section: ProvElement, id: string, type: string, attributes: ProvAttributes = {}): string {
    const elements = this.#section(section)
    const { 'prov:type': types = [], ...known } = elements.get(id) ?? {}
    const all = [types].flat() as ProvValue[]
    const isKnown = all.some((value) => JSON.stringify(value) === JSON.stringify(qualifiedName(type)))
    elements.set(id, { ...known, ...attributes, 'prov:type': isKnown ? all : [...all, qualifiedName(type)] })
    return id
  }

  relation(section: ProvRelation, attributes: ProvAttributes): void {
    const key = JSON.stringify([section, attributes])
    if (this.#known.has(key)) return
    this.#known.add(key)
    this.#section(section).set(`_:r${this.#known.size}`, attributes)
  }

  document(): ProvDocument {
    const sections = [...this.#sections].map(([name, members]) => [name, Object.fromEntries(members)])
    return { prefix: this.#prefix, ...Object.fromEntries(sections) }
  }

  #section(name: ProvElement | ProvRelation): Map<string, ProvAttributes> {
    const members = this.#sections.get(name) ?? new Map<string, ProvAttributes>()
    this.#sections.set(name, members)
    return members
  }
}
