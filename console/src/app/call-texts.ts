import type { ClientCall, RecordedCall } from './recorded-calls.ts'

/** Calls as text to paste into a shell or a program. */

export function toCurl(requests: readonly RecordedCall['http'][]): string {
  if (requests.length === 0) return '# This view has read nothing yet.'
  return requests
    .map(({ method, path, body }) => {
      const url = new URL(path, location.origin).href
      const how = method === 'GET' ? '' : ` -X ${method} -H 'content-type: application/json'`
      const sent = body === undefined ? '' : ` \\\n  -d ${quoted(body)}`
      return `curl${how} -H "authorization: Bearer $COLOPHON_KEY"${sent} \\\n  ${quoted(url)}`
    })
    .join('\n\n')
}

export function toTypeScript(calls: readonly ClientCall[]): string {
  const lines = calls.map(({ name, args }) => {
    const given = args.map((value) => JSON.stringify(value)).filter((text) => text !== undefined)
    return `await client.${name}(${given.join(', ')})`
  })
  return [
    "import { createClient } from 'colophon/client'",
    '',
    `const client = createClient({ url: ${JSON.stringify(location.origin)}, key: process.env.COLOPHON_KEY })`,
    ...lines,
  ].join('\n')
}

type Words = (args: readonly unknown[]) => readonly unknown[]
const all: Words = () => []
const texts: Words = (args) => args.filter((value) => typeof value === 'string')

/** Calls that have a command, with the words after it. */
const commands: Readonly<Record<string, readonly [string, Words]>> = {
  'memory.searchAll': ['find', texts],
  'memory.search': ['search', texts],
  'memory.list': ['list', texts],
  'memory.refs': ['refs', all],
  'memory.colophon': ['trace', (args) => texts(args).slice(1)],
  'memories.get': ['memories show', texts],
  'memories.history': ['memories history', texts],
  'claims.list': ['claims list', all],
  'claims.get': ['claims show', texts],
  'runs.list': ['runs list', all],
  'runs.get': ['runs show', texts],
  'runs.events': ['runs events', texts],
  'writers.list': ['writers list', all],
  'sources.list': ['sources list', all],
  'jobs.list': ['jobs list', all],
  'schedules.list': ['schedules list', all],
  'workflows.list': ['workflows list', all],
  'workflows.get': ['workflows show', texts],
  'agents.list': ['agents list', all],
  'quarantine.list': ['quarantine list', all],
  'keys.list': ['keys list', all],
  'secrets.list': ['secrets list', all],
  'compactions.list': ['compactions list', all],
  'distillations.list': ['distillations list', all],
  stats: ['stats', all],
}

export function toCli(calls: readonly ClientCall[]): string {
  const lines = calls.flatMap(({ name, args }) => {
    const [command, words] = commands[name] ?? []
    if (command === undefined || words === undefined) return []
    const given = words(args).map((word) => ` ${quoted(String(word))}`)
    return [`colophon --url ${location.origin} --key "$COLOPHON_KEY" ${command}${given.join('')}`]
  })
  return lines.length === 0 ? '# No command reads this view; use curl.' : [...new Set(lines)].join('\n')
}

/** In single quotes, as a shell reads it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
