// Looks for a secret in everything a host says, in every form a program may have written it in.
import type { Check } from '../harness.ts'

export type Surface = { readonly where: string; readonly text: string; readonly json?: unknown }

/** The forms of a value, each with the name a report may use; the value itself must not be in a report. */
export function formsOf(value: string): ReadonlyMap<string, string> {
  const bytes = Buffer.from(value, 'utf8')
  return new Map([
    ['plain', value],
    ['JSON string', JSON.stringify(value).slice(1, -1)],
    ['URL component', encodeURIComponent(value)],
    ['form field', new URLSearchParams({ v: value }).toString().slice(2)],
    ['HTML', value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')],
    ['hex', bytes.toString('hex')],
    ['base64', bytes.toString('base64')],
    ['base64url', bytes.toString('base64url')],
    ['base64 behind a user name', Buffer.from(`user:${value}`, 'utf8').toString('base64')],
  ])
}

/** Every string and every key of a document: JSON escapes could otherwise hide a value from a search in the text. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, item]) => [key, ...stringsIn(item)])
}

export function expectNoTrace(check: Check, surface: Surface, forms: ReadonlyMap<string, string>): void {
  const haystack = [surface.text, ...stringsIn(surface.json)].join('\n')
  for (const [name, form] of forms) check.absent(haystack, form, `${surface.where} holds the secret (${name})`)
}
