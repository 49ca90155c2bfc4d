import { closeSync, openSync, readSync } from 'node:fs'
import { CliError, exitCodes } from '../exit-codes.ts'
import { type ForeignSource, unreadable } from './source.ts'

export const foreignKinds = ['server-memory', 'mem0', 'langgraph-postgres', 'mastra-libsql'] as const
export type ForeignKind = (typeof foreignKinds)[number]

/** The product that a file or a database is from; null for a file that is none of them, such as an export of Colophon. */
export function detectForeign(location: string): ForeignKind | null {
  if (/^postgres(?:ql)?:\/\//.test(location)) return 'langgraph-postgres'
  const start = startOf(location)
  if (start === null) return null
  if (start.startsWith('SQLite format 3\0')) return 'mastra-libsql'
  const text = start.trimStart()
  if (text.startsWith('[')) return 'mem0'
  if (!text.startsWith('{')) return null
  const [line = ''] = text.split('\n')
  try {
    const { type, memory, results } = JSON.parse(line) as { type?: unknown; memory?: unknown; results?: unknown }
    if (type === 'entity' || type === 'relation') return 'server-memory'
    return typeof memory === 'string' || Array.isArray(results) ? 'mem0' : null
  } catch {
    // An object of several lines, or one longer than was read.
    return /"results"\s*:\s*\[/.test(text) ? 'mem0' : null
  }
}

export async function openForeign(location: string, kind: ForeignKind): Promise<ForeignSource> {
  switch (kind) {
    case 'server-memory':
      if (startOf(location) === null) throw unreadable(location)
      return (await import('./server-memory.ts')).openServerMemory(location)
    case 'mem0':
      return (await import('./mem0.ts')).openMem0(location)
    case 'langgraph-postgres':
      return (await import('./langgraph.ts')).openLangGraph(location)
    case 'mastra-libsql':
      return (await import('./mastra.ts')).openMastra(location)
  }
}

export function checkForeignKind(kind: string): ForeignKind {
  const known = foreignKinds.find((one) => one === kind)
  if (known !== undefined) return known
  throw new CliError(`--from must be one of ${foreignKinds.join(', ')}.`, exitCodes.usage)
}

const startBytes = 65_536

/** The start of a file; null if it cannot be read. */
function startOf(file: string): string | null {
  try {
    const handle = openSync(file, 'r')
    try {
      const bytes = Buffer.alloc(startBytes)
      return bytes.subarray(0, readSync(handle, bytes)).toString('utf8')
    } finally {
      closeSync(handle)
    }
  } catch {
    return null
  }
}
