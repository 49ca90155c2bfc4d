// Which profiles the discovery document claims, and whether the scenarios of their floor were passed.
import { asArray, at, isObject, type JsonObject } from './harness.ts'
import type { Result } from './run.ts'

type Profile = {
  readonly name: string
  readonly isClaimed: (discovery: JsonObject) => boolean
  /** Beginnings of the ids of scenarios that must all pass, as far as they apply. */
  readonly floor: readonly string[]
  /** At least one of the scenarios that begin so must pass. */
  readonly anyOf?: string
}

export type ProfileVerdict = { readonly name: string; readonly holds: boolean; readonly lacking: readonly string[] }

function isCore(discovery: JsonObject): boolean {
  const limits = ['clarificationRounds', 'schemaRounds', 'envelopesPerTurn'].map((name) =>
    at(discovery, 'limits', name),
  )
  return (
    String(discovery.protocolVersion).startsWith('1.') &&
    Array.isArray(discovery.supportedEnvelopes) &&
    isObject(discovery.schemaVersions) &&
    limits.every((limit) => Number.isInteger(limit) && Number(limit) >= 0)
  )
}

const asksQuestions = (discovery: JsonObject): boolean =>
  isCore(discovery) && asArray(discovery.supportedEnvelopes).includes('clarification.request')

const hasRest = (discovery: JsonObject): boolean =>
  isCore(discovery) &&
  (discovery.supportedTransports === undefined || asArray(discovery.supportedTransports).includes('rest'))

const profiles: readonly Profile[] = [
  { name: 'openwop-discovery-core', isClaimed: isCore, floor: [] },
  { name: 'openwop-fixtures', isClaimed: (d) => isCore(d) && asArray(d.fixtures).length > 0, floor: [] },
  {
    name: 'openwop-core-standard',
    isClaimed: (d) => asksQuestions(d) && hasRest(d),
    floor: [
      'runs-lifecycle',
      'discovery',
      'auth.missing',
      'auth.unknown-key',
      'event-ordering',
      'failure-path',
      'idempotency',
      'webhook-negative',
    ],
    anyOf: 'interrupt-',
  },
  { name: 'openwop-interrupts', isClaimed: asksQuestions, floor: [], anyOf: 'interrupt-' },
  { name: 'openwop-stream-sse', isClaimed: hasRest, floor: ['stream-modes'] },
  { name: 'openwop-stream-poll', isClaimed: hasRest, floor: ['stream-modes.', 'poll.'] },
  {
    name: 'openwop-replay-fork',
    isClaimed: (d) =>
      isCore(d) && at(d, 'replay', 'supported') === true && asArray(at(d, 'replay', 'modes')).length > 0,
    floor: ['replay-fork', 'replay-determinism', 'replay-side-effect-suppression'],
  },
  {
    name: 'openwop-secrets',
    isClaimed: (d) =>
      isCore(d) && at(d, 'secrets', 'supported') === true && asArray(at(d, 'secrets', 'scopes')).includes('user'),
    floor: ['byok-roundtrip'],
  },
  {
    name: 'openwop-memory',
    isClaimed: (d) =>
      isCore(d) &&
      at(d, 'memory', 'supported') === true &&
      at(d, 'memory', 'writable') !== false &&
      asArray(at(d, 'agents', 'memoryBackends')).includes('long-term'),
    floor: [
      'memory-attribution-emits-on-write',
      'memory-attribution-shape',
      'memory-capability-model-shape',
      'memory-degraded-projection',
    ],
  },
]

/** The claimed profiles; one holds when its floor was really passed, and a blocked scenario is no pass. */
export function judgeProfiles(discovery: JsonObject, results: readonly Result[]): ProfileVerdict[] {
  return profiles
    .filter(({ isClaimed }) => isClaimed(discovery))
    .map(({ name, floor, anyOf }) => {
      const lacking = floor.filter((beginning) => {
        const bound = results.filter(({ id, outcome }) => id.startsWith(beginning) && outcome !== 'inapplicable')
        return bound.length === 0 || bound.some(({ outcome }) => outcome !== 'executed-pass')
      })
      const passed = ({ id, outcome }: Result): boolean => id.startsWith(anyOf ?? '') && outcome === 'executed-pass'
      if (anyOf !== undefined && !results.some(passed)) lacking.push(anyOf)
      return { name, holds: lacking.length === 0, lacking }
    })
}
