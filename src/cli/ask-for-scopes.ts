import { createInterface } from 'node:readline/promises'
import { type Scope, scopes } from '../core/access/scopes.ts'
import { CliError, exitCodes } from './exit-codes.ts'

type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean }

/**
 * The scopes of a new key, from the user at the terminal: no default gives more than was meant. A script has to name them.
 */
export async function askForScopes(input: Input, output: NodeJS.WritableStream): Promise<Scope[]> {
  if (!input.isTTY) throw nothingChosen()
  const menu = scopes.map((scope, index) => `  ${String(index + 1).padStart(2)}  ${scope}\n`).join('')
  const question = 'Names or numbers, with spaces between: '
  output.write(`What may the key do?\n${menu}${question}`)
  for await (const line of createInterface({ input, output })) {
    const chosen = readScopes(line)
    if (chosen !== null) return chosen
    output.write(`These are not scopes of the list.\n${question}`)
  }
  throw nothingChosen()
}

function nothingChosen(): CliError {
  return new CliError(`Say what the key may do: --scope all, or one or more of ${scopes.join(', ')}.`, exitCodes.usage)
}

/** Null when a word names no scope, or when there is none. */
function readScopes(answer: string): Scope[] | null {
  const words = answer.split(/[\s,]+/).filter(Boolean)
  const chosen = words.map((word) => scopes.find((scope, index) => scope === word || String(index + 1) === word))
  const known = chosen.filter((scope) => scope !== undefined)
  return known.length === 0 || known.length < chosen.length ? null : known
}
