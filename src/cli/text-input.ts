import { readFileSync } from 'node:fs'
import { CliError, exitCodes } from './exit-codes.ts'

/** The text of standard input, without its last line break. `what` names it in the error. */
export async function readInput(what: string): Promise<string> {
  if (process.stdin.isTTY) throw new CliError(`Pass the ${what} as an argument or on standard input.`, exitCodes.usage)
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8').replace(/\n$/, '')
}

/** The text of a file; `-` is standard input. */
export async function readFileOrInput(file: string): Promise<string> {
  if (file === '-') return readInput('text')
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new CliError(`${file} cannot be read.`, exitCodes.usage)
  }
}
