import fc from 'fast-check'
import type { Priorities, Said, SentEvent } from './claims-reference.ts'

/** Random sets of events that contradict and confirm each other, with different confidence. */

const spellings = [
  ['I prefer dark mode', 'i prefer  DARK mode.', 'I prefer dark mode!?'],
  ['I prefer light mode', 'I PREFER LIGHT MODE'],
  ['No mode at all', 'no mode\tat all;'],
] as const

const content = fc.constantFrom(...spellings.flat())
const said: fc.Arbitrary<Said> = fc.record({
  content,
  claim: fc.constantFrom('ui.theme', 'ui.mode'),
  // Around both thresholds: readings that are stored at once, and those that need a second source.
  confidence: fc.constantFrom(0.45, 0.5, 0.64, 0.65, 0.9, 1),
})

const services = ['a-service', 'b-service', 'c.service'] as const

const event: fc.Arbitrary<Omit<SentEvent, 'eventId'>> = fc.record({
  service: fc.constantFrom(...services),
  observedAt: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', '2026-01-02T00:00:00.001Z'),
  user: fc.constantFrom('ada', 'bob'),
  said: fc.array(said, { minLength: 1, maxLength: 3 }),
  isReading: fc.boolean(),
})

export type Scenario = {
  readonly events: readonly SentEvent[]
  readonly order: readonly number[]
  priorities: Priorities
}

const priority = fc.constantFrom(0, 50, 51, 100)

export const scenario: fc.Arbitrary<Scenario> = fc
  .tuple(
    fc.array(event, { minLength: 1, maxLength: 8 }),
    fc.tuple(priority, priority, priority),
    fc.infiniteStream(fc.nat()),
  )
  .map(([parts, [a, b, c], random]) => {
    const events = parts.map((part, n) => ({ ...part, eventId: `evt-${(n * 5) % 8}` }))
    const order = events
      .map((_, n) => ({ n, weight: random.next().value as number }))
      .sort((left, right) => left.weight - right.weight)
      .map(({ n }) => n)
    return { events, order, priorities: { 'a-service': a, 'b-service': b, 'c.service': c } }
  })

/** Four events about one claim, each of which would win if only one criterion counted. */
export const fourEvents: readonly SentEvent[] = [
  {
    service: 'a-service',
    eventId: 'by priority',
    observedAt: '2026-01-01T00:00:00Z',
    user: 'ada',
    said: [{ content: 'Dark mode it is', claim: 'ui.theme', confidence: 0.7 }],
  },
  {
    service: 'b-service',
    eventId: 'by time',
    observedAt: '2026-03-01T00:00:00Z',
    user: 'ada',
    said: [{ content: 'Light mode it is', claim: 'ui.theme', confidence: 0.7 }],
  },
  {
    service: 'c.service',
    eventId: 'by confidence',
    observedAt: '2026-02-01T00:00:00Z',
    user: 'ada',
    said: [{ content: 'Blue mode it is', claim: 'ui.theme', confidence: 1 }],
  },
  {
    service: 'b-service',
    eventId: 'by agreeing',
    observedAt: '2026-01-15T00:00:00Z',
    user: 'ada',
    said: [
      { content: 'blue MODE it is.', claim: 'ui.theme', confidence: 0.5 },
      { content: 'Red mode it is', claim: 'ui.theme', confidence: 0.6 },
    ],
  },
]

/** Which criterion of the rule decides between them. */
export const fourPriorities: Readonly<Record<string, Priorities>> = {
  priority: { 'a-service': 90, 'b-service': 50, 'c.service': 50 },
  'time, and the claim is contested': { 'a-service': 50, 'b-service': 50, 'c.service': 50 },
  'the priority of one who agrees': { 'a-service': 50, 'b-service': 10, 'c.service': 60 },
}
