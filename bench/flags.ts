import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'

export type Flags = {
  readonly sizes: readonly number[]
  readonly postgres: boolean
  readonly quick: boolean
  readonly peers: boolean
  readonly slices: number
  readonly warmupSlices: number
  readonly only: string
  readonly out: string
  readonly dir: string
}

const known = {
  sizes: { type: 'string', text: '--sizes 1000,10000,100000   entries in one ref before anything is timed' },
  million: { type: 'boolean', text: '--million                   adds a size of 1,000,000' },
  postgres: { type: 'boolean', text: '--no-postgres               leaves PostgreSQL out' },
  quick: { type: 'boolean', text: '--quick                     one size of 1,000 and few slices: does it still run?' },
  peers: {
    type: 'boolean',
    text: '--peers                     other products instead of raw code; installs bench/peers',
  },
  slices: { type: 'string', text: '--slices 20                 timed slices of each side of a pair' },
  only: { type: 'string', text: '--only TEXT                 only work whose name contains the text' },
  out: { type: 'string', text: '--out .bench                where results.json and results.md go' },
  dir: { type: 'string', text: '--dir FOLDER                where the SQLite files go (the temporary folder)' },
} as const

const knownFlags = Object.values(known)
  .map(({ text }) => `  ${text}`)
  .join('\n')

/** Throws with the list of known flags: a mistyped one would otherwise measure something else than was meant. */
export function parseFlags(args: readonly string[]): Flags {
  const values = parse(args)
  const quick = values.quick ?? false
  const sizes = (values.sizes ?? (quick ? '1000' : '1000,10000,100000')).split(',').map((part) => count('sizes', part))
  if (values.million) sizes.push(1_000_000)
  return {
    sizes: [...new Set(sizes)].sort((a, b) => a - b),
    postgres: values.postgres ?? true,
    quick,
    peers: values.peers ?? false,
    slices: values.slices === undefined ? (quick ? 2 : 20) : count('slices', values.slices),
    warmupSlices: quick ? 1 : 4,
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
