import { parseArgs } from 'node:util'
import type { DatabaseName } from './plan.ts'

export const usage = `usage: npm run chaos -- [options]
  --seed TEXT            what is done and which faults come (default: a new one, which the report names)
  --seconds N            how long the load runs, 1 to 3600 (default 60); the checks come after it
  --database NAME        sqlite, postgres or both (default both)
  --json                 print the report as JSON
It ends with 0 when every promise was kept, and with 1 when one was not.`

const options = {
  seed: { type: 'string' },
  seconds: { type: 'string', default: '60' },
  database: { type: 'string', default: 'both' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** A usage error; the message names the allowed form. */
export class WrongCall extends Error {}

export type Arguments = {
  readonly seed: string
  readonly seconds: number
  readonly databases: readonly DatabaseName[]
  readonly json: boolean
  readonly help: boolean
}

const databases: Readonly<Record<string, readonly DatabaseName[]>> = {
  sqlite: ['sqlite'],
  postgres: ['postgres'],
  both: ['sqlite', 'postgres'],
}

export function readArguments(args: readonly string[], newSeed: () => string): Arguments {
  const { seed = newSeed(), seconds, database, ...switches } = parse(args)
  if (!/^[\w.-]{1,64}$/.test(seed)) throw new WrongCall('--seed must be 1 to 64 letters, digits, dots or dashes')
  const duration = Number(seconds)
  if (!(duration >= 1 && duration <= 3_600)) throw new WrongCall('--seconds must be a number from 1 to 3600')
  const chosen = Object.hasOwn(databases, database) ? databases[database] : undefined
  if (!chosen) throw new WrongCall('--database must be sqlite, postgres or both')
  return { seed, seconds: duration, databases: chosen, ...switches }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ options, allowPositionals: false, args: [...args] }).values
  } catch (error) {
    throw new WrongCall(error instanceof Error ? error.message : String(error))
  }
}
