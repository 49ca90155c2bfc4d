import fc from 'fast-check'

/** Random histories of one tenant, as data: the same script runs on the model and on a database. */
export type Command =
  | {
      do: 'put'
      ref: number
      tags: number[]
      ttl: number | null
      run: number | null
      key: number | null
      secret: boolean
    }
  | { do: 'batch'; ref: number; size: number; tags: number[]; ttl: number | null }
  | { do: 'revise'; nth: number; tags: number[]; expects: number | null }
  | { do: 'delete'; nth: number; otherRef: boolean; expects: number | null }
  | { do: 'enqueue'; priority: number; delay: number }
  | { do: 'clock'; by: number }
  | { do: 'together'; commands: Command[] }

export const refs = ['notes', 'user-1', 'user-10', 'mem://a/b'] as const
export const tags = ['red', 'blue', 'red ', 'ünï🦊'] as const
export const runs = ['run_1', 'run_2'] as const

const ref = fc.nat(refs.length - 1)
const tagSet = fc.array(fc.nat(tags.length - 1), { maxLength: 3 })
const ttl = fc.option(fc.integer({ min: -1_000, max: 20_000 }), { freq: 2 })
const nth = fc.nat(40)
const expects = fc.option(fc.integer({ min: 1, max: 3 }), { freq: 3 })

const single: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      ref,
      tags: tagSet,
      ttl,
      run: fc.option(fc.nat(runs.length - 1)),
      key: fc.option(fc.nat(3), { freq: 3 }),
      secret: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('batch' as const),
      ref,
      size: fc.integer({ min: 1, max: 5 }),
      tags: tagSet,
      ttl,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('revise' as const), nth, tags: tagSet, expects }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), nth, otherRef: fc.boolean(), expects }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('enqueue' as const),
      priority: fc.integer({ min: -2, max: 2 }),
      delay: fc.nat(5_000),
    }),
  },
)

const clock: fc.Arbitrary<Command> = fc.record({
  do: fc.constant('clock' as const),
  by: fc.integer({ min: -5_000, max: 10_000 }),
})

const together: fc.Arbitrary<Command> = fc
  .array(single, { minLength: 2, maxLength: 6 })
  .map((commands) => ({ do: 'together' as const, commands }))

export const script: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof({ weight: 6, arbitrary: single }, { weight: 2, arbitrary: clock }, { weight: 2, arbitrary: together }),
  { maxLength: 30, size: 'max' },
)
