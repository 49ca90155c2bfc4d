import fc from 'fast-check'
import { type FlowPlan, flowPlans } from './run-plan.ts'

/** What happens around runs, as data: the same scenario runs on every store. */

export type Outside =
  | { do: 'put'; ref: number; size: number; ttl: number | null; tag: number | null }
  | { do: 'revise'; nth: number }
  | { do: 'delete'; nth: number }
  | { do: 'clock'; by: number }

export type Act =
  | Outside
  | { do: 'answer'; nth: number; action: 'accept' | 'reject' | 'ask'; known: number }
  | { do: 'cancel'; nth: number }
  /** The run's job failed too often. */
  | { do: 'giveUp'; nth: number }
  | { do: 'pause'; nth: number; isImmediate: boolean }
  | { do: 'resume'; nth: number }
  /** Another worker claims a due job, and drives it as far as possible. */
  | { do: 'work' }

/** Faults of a worker. A lost response is a commit that is stored without the worker learning of it. */
export type Mishap = { do: 'stop' } | { do: 'crash'; isAnswerLost: boolean }

/** Happens before a worker's `before`-th call of the store. */
export type During = { before: number; act: Act | Mishap }

export type Command =
  | { do: 'act'; act: Act }
  /** `nodesMax` is the limit of nodes that the run may execute. */
  | { do: 'start'; flow: number; known: number[]; flag: boolean; nodesMax?: number | null; during: During[] }
  | { do: 'drive'; during: During[] }

/** Which run is forked, and where, as a share of its log; `during` happens while the fork runs. */
export type ForkPlan = { run: number; isOfFork: boolean; from: number; again: number; during: During[] }

/** `before` is the memory at the start; in a quiet scenario no run writes a summary. */
export type Scenario = {
  isQuiet?: boolean
  flows: FlowPlan[]
  before: Outside[]
  commands: Command[]
  forks: ForkPlan[]
}

export type StoryOptions = {
  /** Clocks that never move, workflows that never wait. */
  readonly isFrozen?: boolean
  readonly forksMax?: number
}

const nth = fc.nat(30)
const ttl = fc.option(fc.integer({ min: 1, max: 30 }), { freq: 3 })
const tag = fc.option(fc.nat(1), { freq: 3 })

const puts: fc.Arbitrary<Outside> = fc.record({
  do: fc.constant('put' as const),
  ref: fc.nat(1),
  size: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.integer({ min: 2, max: 3 }) }),
  ttl,
  tag,
})

function outside(isFrozen: boolean): fc.Arbitrary<Outside> {
  const changes: fc.Arbitrary<Outside> = fc.oneof(
    fc.record({ do: fc.constant('revise' as const), nth }),
    fc.record({ do: fc.constant('delete' as const), nth }),
  )
  const clock: fc.Arbitrary<Outside> = fc.record({
    do: fc.constant('clock' as const),
    by: fc.integer({ min: 1, max: 8 }),
  })
  return fc.oneof(
    { weight: 4, arbitrary: puts },
    { weight: 4, arbitrary: changes },
    { weight: isFrozen ? 0 : 2, arbitrary: clock },
  )
}

function acts(isFrozen: boolean): fc.Arbitrary<Act> {
  return fc.oneof(
    { weight: 8, arbitrary: outside(isFrozen) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('answer' as const),
        nth,
        action: fc.oneof(
          { weight: 4, arbitrary: fc.constant('accept' as const) },
          { weight: 2, arbitrary: fc.constantFrom('reject' as const, 'ask' as const) },
        ),
        known: nth,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constantFrom('cancel' as const, 'cancel' as const, 'giveUp' as const), nth }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('pause' as const), nth, isImmediate: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('resume' as const), nth }) },
    { weight: 2, arbitrary: fc.constant({ do: 'work' as const }) },
  )
}

const mishap: fc.Arbitrary<Mishap> = fc.oneof(
  fc.constant({ do: 'stop' as const }),
  fc.record({ do: fc.constant('crash' as const), isAnswerLost: fc.boolean() }),
)

function duringOf(act: fc.Arbitrary<Act>, maxLength: number): fc.Arbitrary<During[]> {
  const one = fc.record({
    before: fc.nat(25),
    act: fc.oneof({ weight: 6, arbitrary: act }, { weight: 1, arbitrary: mishap }),
  })
  return fc.array(one, { maxLength })
}

export function scenarios({ isFrozen = false, forksMax = 0 }: StoryOptions = {}): fc.Arbitrary<Scenario> {
  const act = acts(isFrozen)
  const during = duringOf(act, 4)
  const command: fc.Arbitrary<Command> = fc.oneof(
    { weight: 5, arbitrary: act.map((one) => ({ do: 'act' as const, act: one })) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('start' as const),
        flow: fc.constantFrom(0, 0, 0, 1, 2),
        known: fc.array(nth, { minLength: 3, maxLength: 3 }),
        flag: fc.boolean(),
        nodesMax: fc.option(fc.integer({ min: 1, max: 6 }), { freq: 15 }),
        during,
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('drive' as const), during }) },
  )
  return fc.record({
    isQuiet: fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    flows: flowPlans(isFrozen ? 0 : 2),
    before: fc.array(puts, { maxLength: 5, size: 'max' }),
    commands: fc.array(command, { minLength: 1, maxLength: 12, size: 'max' }),
    forks: fc.array(
      fc.record({
        run: fc.nat(20),
        isOfFork: fc.boolean(),
        from: fc.double({ min: 0, max: 1, noNaN: true }),
        again: fc.double({ min: 0, max: 1, noNaN: true }),
        during: duringOf(outside(isFrozen), 3),
      }),
      { maxLength: forksMax, size: 'max' },
    ),
  })
}
