import { readFileSync } from 'node:fs'
import { CliError, exitCodes } from './exit-codes.ts'

/** JSON that a person hands to a command. What it says is never repeated: the parser's own message quotes the text. */
export function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown
  } catch {
    throw new CliError(`${name} is not valid JSON.`, exitCodes.usage)
  }
}

export function readJsonObject(file: string): Record<string, unknown> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new CliError(`${file} cannot be read.`, exitCodes.usage)
  }
  const document = parseJson(text, file)
  if (document === null || typeof document !== 'object' || Array.isArray(document))
    throw new CliError(`${file} does not hold a JSON object.`, exitCodes.usage)
  return document as Record<string, unknown>
}
