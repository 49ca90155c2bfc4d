import { parseArgs } from 'node:util'

export const usage = `npm run prove -- [options]

Measures properties of governance on memories for agents, with numbers.

  --only PART     products whose name contains PART (may be repeated)
  --property ID   only these properties (may be repeated)
  --seed N        another seed (default 1)
  --scale N       N times as much of everything (default 1)
  --writes N      writes through the adapters for frameworks (default 100000)
  --no-controls   without the product that has a fault
  --json          one JSON document instead of lines
  --markdown      the tables of docs/PROOF.md
  --write         writes them into docs/PROOF.md
  --list          what there is`

export class WrongCall extends Error {}

export type Arguments = {
  readonly only: readonly string[]
  readonly property: readonly string[]
  readonly seed: number
  readonly scale: number
  readonly writes: number
  readonly hasControls: boolean
  readonly form: 'lines' | 'json' | 'markdown'
  readonly write: boolean
  readonly list: boolean
  readonly help: boolean
}

export function readArguments(args: readonly string[]): Arguments {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string', multiple: true, default: [] },
        property: { type: 'string', multiple: true, default: [] },
        seed: { type: 'string', default: '1' },
        scale: { type: 'string', default: '1' },
        writes: { type: 'string', default: '100000' },
        'no-controls': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        markdown: { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    const { json, markdown, 'no-controls': isWithout, ...rest } = values
    const form = json ? 'json' : markdown ? 'markdown' : 'lines'
    return {
      ...rest,
      form,
      hasControls: !isWithout,
      seed: positive('seed', values.seed),
      scale: positive('scale', values.scale),
      writes: positive('writes', values.writes),
    }
  } catch (error) {
    throw error instanceof WrongCall ? error : new WrongCall((error as Error).message)
  }
}

function positive(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new WrongCall(`--${name} must be a positive number`)
  return Number(text)
}
