import { z } from 'zod'
import { EntryColophon } from './entries.ts'

const members = z.record(z.string(), z.record(z.string(), z.unknown())).optional()

export const ProvDocument = z
  .strictObject({
    prefix: z.record(z.string(), z.string()),
    entity: members,
    activity: members,
    agent: members,
    wasGeneratedBy: members,
    used: members,
    wasInvalidatedBy: members,
    wasDerivedFrom: members,
    wasAttributedTo: members,
    wasAssociatedWith: members,
    actedOnBehalfOf: members,
    specializationOf: members,
  })
  .meta({
    id: 'ProvDocument',
    description: 'The provenance of an entry in W3C PROV-JSON: ids, hashes and instants, no text of a memory.',
    examples: [provExample()],
  })

export const EntryProvenance = z.union([EntryColophon, ProvDocument]).meta({
  id: 'EntryProvenance',
  description: 'The provenance of an entry: our own form, or with `format=prov` a document in W3C PROV-JSON.',
  examples: [provExample()],
})

function provExample() {
  return {
    prefix: {
      prov: 'http://www.w3.org/ns/prov#',
      xsd: 'http://www.w3.org/2001/XMLSchema#',
      colophon: 'urn:colophon:terms:',
      tenant: 'urn:colophon:tenant:acme:',
    },
    entity: {
      'tenant:mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11.v1': {
        'colophon:version': 1,
        'prov:type': [{ $: 'colophon:MemoryVersion', type: 'prov:QUALIFIED_NAME' }],
      },
    },
    activity: {
      'tenant:position.42': {
        'prov:startTime': '2026-03-01T12:00:00.000Z',
        'prov:endTime': '2026-03-01T12:00:00.000Z',
        'colophon:position': 42,
        'prov:type': [{ $: 'colophon:Write', type: 'prov:QUALIFIED_NAME' }],
      },
    },
    wasGeneratedBy: {
      '_:r1': {
        'prov:entity': 'tenant:mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11.v1',
        'prov:activity': 'tenant:position.42',
        'prov:time': '2026-03-01T12:00:00.000Z',
      },
    },
  }
}
