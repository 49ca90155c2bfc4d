import {
  type ProvAttributes,
  ProvBuilder,
  type ProvDocument,
  qualifiedName,
} from '../../core/provenance/prov/document.ts'
import { escapeUrnPart, tenantUrn } from '../../core/urn.ts'

/** A PROV document of the commits of one tenant: the words in which a story is written, and the instants of positions. */
export class CommitsInProv {
  readonly #builder: ProvBuilder
  readonly #instants: ReadonlyMap<number, string>

  constructor(tenantId: string, instants: ReadonlyMap<number, string>) {
    this.#instants = instants
    this.#builder = new ProvBuilder({
      prov: 'http://www.w3.org/ns/prov#',
      xsd: 'http://www.w3.org/2001/XMLSchema#',
      colophon: 'urn:colophon:terms:',
      tenant: `${tenantUrn(tenantId)}:`,
    })
  }

  document(): ProvDocument {
    return this.#builder.document()
  }

  entity(name: string, type: string, facts: ProvAttributes = {}): string {
    return this.#builder.element('entity', `tenant:${name}`, type, facts)
  }

  /** The activity of a commit. One commit can do several things, so it can have several types. */
  commit(position: number, type: string, facts: ProvAttributes = {}): string {
    const at = this.#instants.get(position)
    return this.#builder.element('activity', `tenant:position.${position}`, type, {
      ...(at === undefined ? {} : { 'prov:startTime': at, 'prov:endTime': at }),
      'colophon:position': position,
      ...facts,
    })
  }

  memoryNamed(id: string): string {
    return this.#builder.element('entity', `tenant:${escapeUrnPart(id)}`, 'colophon:Memory')
  }

  versionEntity(id: string, memory: string, facts: ProvAttributes): string {
    this.#builder.element('entity', id, 'colophon:MemoryVersion', facts)
    this.#builder.relation('specializationOf', { 'prov:specificEntity': id, 'prov:generalEntity': memory })
    return id
  }

  sender(service: unknown, actor: unknown): string | null {
    if (typeof service === 'string')
      return this.#builder.element('agent', `tenant:writer.${escapeUrnPart(service)}`, 'colophon:Writer')
    return typeof actor === 'string' && actor !== '' ? this.actor(actor) : null
  }

  actor(actor: string): string {
    return this.#builder.element('agent', `tenant:actor.${escapeUrnPart(actor)}`, 'colophon:Actor')
  }

  agent(agentId: string): string {
    return this.#builder.element('agent', `tenant:agent.${escapeUrnPart(agentId)}`, 'prov:SoftwareAgent')
  }

  #at(position: number): ProvAttributes {
    const at = this.#instants.get(position)
    return at === undefined ? {} : { 'prov:time': at }
  }

  generated(entity: string, activity: string, position: number): void {
    const what = { 'prov:entity': entity, 'prov:activity': activity }
    this.#builder.relation('wasGeneratedBy', { ...what, ...this.#at(position) })
  }

  used(activity: string, entity: string, position: number): void {
    const what = { 'prov:activity': activity, 'prov:entity': entity }
    this.#builder.relation('used', { ...what, ...this.#at(position) })
  }

  invalidated(entity: string, activity: string, position: number): void {
    const what = { 'prov:entity': entity, 'prov:activity': activity }
    this.#builder.relation('wasInvalidatedBy', { ...what, ...this.#at(position) })
  }

  derived(made: string, source: string): void {
    this.#builder.relation('wasDerivedFrom', { 'prov:generatedEntity': made, 'prov:usedEntity': source })
  }

  revised(made: string, source: string): void {
    const type = qualifiedName('prov:Revision')
    this.#builder.relation('wasDerivedFrom', {
      'prov:generatedEntity': made,
      'prov:usedEntity': source,
      'prov:type': type,
    })
  }

  associated(activity: string, agent: string): void {
    this.#builder.relation('wasAssociatedWith', { 'prov:activity': activity, 'prov:agent': agent })
  }

  attributed(entity: string, agent: string): void {
    this.#builder.relation('wasAttributedTo', { 'prov:entity': entity, 'prov:agent': agent })
  }

  onBehalf(delegate: string, responsible: string): void {
    this.#builder.relation('actedOnBehalfOf', { 'prov:delegate': delegate, 'prov:responsible': responsible })
  }
}

/** The attributes that are known, as plain values. */
export function named(facts: Readonly<Record<string, unknown>>): ProvAttributes {
  const known = Object.entries(facts).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  return Object.fromEntries(known) as ProvAttributes
}
