import { createInterface } from 'node:readline/promises'
import { type Scope, scopes } from '../core/access/scopes.ts'
import { CliError, exitCodes } from './exit-codes.ts'

type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean }

/** Prompts for the scopes of a new key at a terminal. There is no default: it could grant too much. A script must name them. */
export async function promptForScopes(input: Input, output: NodeJS.WritableStream): Promise<Scope[]> {
  if (!input.isTTY) throw nothingChosen()
  const menu = scopes.map((scope, index) => `  ${String(index + 1).padStart(2)}  ${scope}\n`).join('')
  const prompt = 'Names or numbers, separated by spaces: '
  output.write(`Scopes of the key:\n${menu}${prompt}`)
  for await (const line of createInterface({ input, output })) {
    const chosen = readScopes(line)
    if (chosen !== null) return chosen
    output.write(`Unknown scope. Use names or numbers of the list.\n${prompt}`)
  }
  throw nothingChosen()
}

function nothingChosen(): CliError {
  return new CliError(
    `Name the scopes of the key: --scope all, or one or more of ${scopes.join(', ')}.`,
    exitCodes.usage,
  )
}

/** Null if a word is not a scope, or if there is no word. */
function readScopes(line: string): Scope[] | null {
  const words = line.split(/[\s,]+/).filter(Boolean)
  const chosen = words.map((word) => scopes.find((scope, index) => scope === word || String(index + 1) === word))
  const known = chosen.filter((scope) => scope !== undefined)
  return known.length === 0 || known.length < chosen.length ? null : known
}
