import { type Random, randomOf } from './random.ts'

/**
 * What a seed decides: the operations of each client, their order, and the faults. A client that is interrupted retries
 * until it gets a response, so the plan decides everything but the timing.
 */

export type DatabaseName = 'sqlite' | 'postgres'

export type Operation =
  | { readonly kind: 'put'; readonly ref: string; readonly content: string }
  | { readonly kind: 'batch'; readonly ref: string; readonly contents: readonly string[] }
  | { readonly kind: 'delete' | 'read' | 'ingest-again' | 'answer'; readonly choice: number }
  | { readonly kind: 'list' | 'search'; readonly ref: string }
  | { readonly kind: 'ingest'; readonly event: SourceEvent }
  | { readonly kind: 'edit'; readonly choice: number; readonly content: string }
  | { readonly kind: 'run'; readonly name: string }
  | { readonly kind: 'forget'; readonly ref: string; readonly content: string }
  | { readonly kind: 'promise' | 'distill' | 'consolidate'; readonly mark: string }
  | { readonly kind: 'schedule' }
  | { readonly kind: 'malformed'; readonly choice: number }

export type OperationKind = Operation['kind']

/** One event of a service. With a claim key it competes with the others of its user. */
export type SourceEvent = {
  readonly user: string
  readonly eventId: string
  readonly content: string
  readonly claimKey: string | null
  readonly observedAt: string
}

/** The weight of each kind of operation. */
const weights: Readonly<Record<OperationKind, number>> = {
  put: 34,
  batch: 6,
  delete: 8,
  read: 10,
  list: 4,
  search: 4,
  ingest: 12,
  'ingest-again': 3,
  edit: 5,
  run: 4,
  answer: 5,
  schedule: 1,
  promise: 2,
  distill: 2,
  consolidate: 2,
  forget: 2,
  malformed: 7,
}
const deck = Object.entries(weights).flatMap(([kind, weight]) =>
  Array<OperationKind>(weight).fill(kind as OperationKind),
)

export const refs = ['notes', 'people/ada', 'a ref/with %2F and ü'] as const
/** So many events of a client are about one user. */
const eventsPerUser = 20
const rivals = 4
const firstDay = Date.UTC(2026, 0, 1)

/** The operations of a client, in order, without end. */
export function* operationsOf(seed: string, client: number): Generator<Operation, never> {
  const random = randomOf(`${seed}/client/${client}`)
  let events = 0
  for (let number = 0; ; number++) {
    const kind = deck[random.below(deck.length)] ?? 'put'
    const mark = `${client}-${number}`
    const ref = random.pick(refs)
    const choice = random.below(1_000_000)
    if (kind === 'put') yield { kind, ref, content: textOf(random, mark) }
    else if (kind === 'batch') yield { kind, ref, contents: [1, 2, 3].map((part) => textOf(random, `${mark}-${part}`)) }
    else if (kind === 'list' || kind === 'search') yield { kind, ref }
    else if (kind === 'ingest') yield { kind, event: sourceEventOf(client, events++, random) }
    else if (kind === 'edit') yield { kind, choice, content: `edited as ${mark}` }
    else if (kind === 'run') yield { kind, name: mark }
    else if (kind === 'forget') yield { kind, ref: `gone/${mark}`, content: `to be forgotten: ${mark}` }
    else if (kind === 'promise' || kind === 'distill' || kind === 'consolidate') yield { kind, mark }
    else if (kind === 'schedule') yield { kind }
    else yield { kind, choice }
  }
}

/** Half of the events compete for a claim, half are single contents. */
function sourceEventOf(client: number, number: number, random: Random): SourceEvent {
  const isRival = random.below(2) === 0
  return {
    user: `user-${client}-${Math.floor(number / eventsPerUser)}`,
    eventId: `event-${client}-${number}`,
    content: isRival ? `choice ${random.below(rivals)} of all` : `note ${client}-${number}`,
    claimKey: isRival ? 'choice' : null,
    observedAt: new Date(firstDay + number * 60_000).toISOString(),
  }
}

const words = ['tea', 'train', 'harbour', 'green', 'window', 'letter', 'garden', 'lamp', 'river', 'bread'] as const
const longEvery = 12

/** Every text is unique by its mark. Some are long, so that files grow. */
function textOf(random: Random, mark: string): string {
  const count = random.below(longEvery) === 0 ? 3_000 : 3 + random.below(12)
  const spoken = Array.from({ length: count }, () => random.pick(words)).join(' ')
  return `written as ${mark}: ${spoken}`
}

const everywhere = ['kill', 'restart', 'clock-forward', 'clock-back', 'poisoned-job'] as const
const faultKinds = {
  sqlite: [...everywhere, 'full-disk'],
  postgres: [
    ...everywhere,
    'database-kill',
    'database-full',
    'cut-before-commit',
    'cut-after-commit',
    'cut-all',
    'terminate',
    'lease-race',
    'clock-skew',
  ],
} as const

/** Takes a dozen restarts, so only long loads have it. */
const slowKinds = ['poison-job'] as const
const slowSecondsMin = 60

export type FaultKind = (typeof faultKinds)[DatabaseName][number] | (typeof slowKinds)[number]

export type Fault = {
  readonly kind: FaultKind
  /** How many operations must succeed before it. */
  readonly afterOperations: number
  /** Which of the servers. */
  readonly server: number
  /** Its strength, in thousandths of the maximum. */
  readonly size: number
}

/** The kinds of fault of a load of this length. */
export function roundOf(database: DatabaseName, seconds: number): readonly FaultKind[] {
  return [...faultKinds[database], ...(seconds >= slowSecondsMin ? slowKinds : [])]
}

/** Round after round of all kinds, each round in an order of its own. */
export function* faultsOf(seed: string, database: DatabaseName, seconds: number): Generator<Fault, never> {
  const random = randomOf(`${seed}/faults/${database}`)
  for (;;) {
    for (const kind of random.shuffle(roundOf(database, seconds)))
      yield {
        kind,
        afterOperations: 10 + random.below(50),
        server: random.below(2),
        size: 1 + random.below(1_000),
      }
  }
}
