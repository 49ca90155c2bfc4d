import { readFileSync } from 'node:fs'
import { CliError, exitCodes } from './exit-codes.ts'

/** Parses JSON from an argument or a file. The message of the parser quotes the text, so it is not shown. */
export function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown
  } catch {
    throw new CliError(`${name} is not valid JSON.`, exitCodes.usage)
  }
}

/** Reads a file with a JSON object. */
export function readJsonObject(file: string): Record<string, unknown> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new CliError(`${file} cannot be read.`, exitCodes.usage)
  }
  const document = parseJson(text, file)
  if (document === null || typeof document !== 'object' || Array.isArray(document))
    throw new CliError(`${file} is not a JSON object.`, exitCodes.usage)
  return document as Record<string, unknown>
}
