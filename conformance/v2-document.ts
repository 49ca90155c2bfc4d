// The rules of a discovery document of version 2: a closed root, and families as closed records.
import { isObject, type JsonObject } from './harness.ts'

const metadata = [
  ...['protocolVersion', 'protocolVersions', 'preferredVersion', 'extensions', 'implementation', 'engineVersion'],
  ...['eventLogSchemaVersion', 'configurable', 'observability', 'minClientVersion', 'runtimeCapabilities', 'testing'],
  ...['conformance', 'fixtures', 'compliance', 'signingKeys', 'discovery'],
]

const illegal = ['capabilities', 'profiles', 'supportedTransports', 'grpc', 'debugBundle', 'runs']
const witnesses = ['witnessable-unaided', 'witnessable-gated', 'seam-gated', 'claims-check', 'negative-existence']
const minor = /^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$/
const until = /^((0|[1-9][0-9]*)\.(0|[1-9][0-9]*)|\d{4}-\d{2}-\d{2})$/

function mentionsSupported(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(mentionsSupported)
  return isObject(value) && ('supported' in value || Object.values(value).some(mentionsSupported))
}

function recordFaults(name: string, family: unknown): string[] {
  if (!isObject(family)) return [`${name} is no record`]
  const faults: readonly (readonly [boolean, string])[] = [
    [['stable', 'experimental', 'deprecated'].includes(String(family.status)), 'status'],
    [minor.test(String(family.since)), 'since'],
    [witnesses.includes(String(family.witness)), 'witness'],
    [family.status === 'stable' ? family.until === undefined : until.test(String(family.until)), 'until'],
    [!mentionsSupported(family), 'supported'],
  ]
  return faults.flatMap(([holds, member]) => (holds ? [] : [`${name}.${member}`]))
}

/** What is wrong with a document. */
export function documentFaults(document: JsonObject): string[] {
  const faults: string[] = []
  for (const [name, value] of Object.entries(document)) {
    if (illegal.includes(name) || name.includes('.')) faults.push(`${name} is not allowed`)
    else if (!metadata.includes(name)) faults.push(...recordFaults(name, value))
  }
  const versions = Array.isArray(document.protocolVersions) ? document.protocolVersions : []
  if (versions.length === 0 || !versions.every((version) => minor.test(String(version))))
    faults.push('protocolVersions')
  if (!versions.includes(document.preferredVersion)) faults.push('preferredVersion')
  return faults
}
