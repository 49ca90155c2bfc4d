import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'

export type Flags = {
  readonly sizes: readonly number[]
  readonly postgres: boolean
  readonly quick: boolean
  readonly peers: boolean
  readonly blocking: boolean
  readonly entries: number
  /** Whether the run measures everything as the page says, so that it may write it. */
  readonly isWhole: boolean
  readonly slices: number
  readonly warmupSlices: number
  readonly only: string
  readonly out: string
  readonly dir: string
}

const slicesDefault = 12
const entriesDefault = 1_000_000

const known = {
  sizes: { type: 'string', text: '--sizes 1000,10000,100000   entries in one ref before anything is timed' },
  postgres: { type: 'boolean', text: '--no-postgres               leaves PostgreSQL out' },
  quick: { type: 'boolean', text: '--quick                     one size of 1,000 and few slices: does it still run?' },
  peers: {
    type: 'boolean',
    text: '--peers                     other products instead of raw code; installs bench/peers',
  },
  blocking: {
    type: 'boolean',
    text: '--blocking                  the longest block of the event loop, for each operation that has much to do',
  },
  entries: {
    type: 'string',
    text: '--entries 1000000           with --blocking: how many are stored; fewer do not write the page',
  },
  slices: { type: 'string', text: '--slices 12                 timed slices of each side of a pair' },
  only: { type: 'string', text: '--only TEXT                 only work whose name contains the text' },
  out: { type: 'string', text: '--out .bench                where results.json and results.md go' },
  dir: { type: 'string', text: '--dir FOLDER                where the SQLite files go (the temporary folder)' },
} as const

/** Flags that do not change what is measured. */
const wholeFlags = new Set(['blocking', 'out', 'dir'])

const knownFlags = Object.values(known)
  .map(({ text }) => `  ${text}`)
  .join('\n')

/** Throws with the list of known flags: a mistyped one would otherwise measure something else than was meant. */
export function parseFlags(args: readonly string[]): Flags {
  const values = parse(args)
  const quick = values.quick ?? false
  const sizes = (values.sizes ?? (quick ? '1000' : '1000,10000,100000')).split(',').map((part) => count('sizes', part))
  return {
    sizes: [...new Set(sizes)].sort((a, b) => a - b),
    postgres: values.postgres ?? true,
    quick,
    peers: values.peers ?? false,
    blocking: values.blocking ?? false,
    entries: values.entries === undefined ? entriesDefault : count('entries', values.entries),
    isWhole: Object.keys(values).every((name) => wholeFlags.has(name)),
    slices: values.slices === undefined ? (quick ? 2 : slicesDefault) : count('slices', values.slices),
    warmupSlices: quick ? 1 : 6,
    only: values.only ?? '',
    out: values.out ?? '.bench',
    dir: values.dir ?? tmpdir(),
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: known, allowNegative: true, strict: true }).values
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\nKnown flags:\n${knownFlags}`)
  }
}

function count(flag: string, text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${flag} needs whole numbers, not "${text}".`)
  return value
}
