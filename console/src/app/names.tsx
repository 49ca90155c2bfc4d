import { useQueries } from '@tanstack/react-query'
import type { NameList } from '../../../src/client/index.ts'
import { api } from './api.ts'

type Name = NameList['names'][number]

const idPattern = /(?:key:|run:)?(key|run)_(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|bootstrap_b|bootstrap|local)/g
const started = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
/** The server takes this many in one request. */
const idsMax = 100

let waiting = new Map<string, (name: Name | null) => void>()

/** The name of an id. The ids of all rows that are shown at the same time are one request. */
function loadName(id: string): Promise<Name | null> {
  if (waiting.size === 0 || waiting.size >= idsMax) {
    const batch = new Map<string, (name: Name | null) => void>()
    waiting = batch
    setTimeout(() => void flush(batch), 10)
  }
  return new Promise((resolve) => waiting.set(id, resolve))
}

async function flush(batch: Map<string, (name: Name | null) => void>): Promise<void> {
  if (waiting === batch) waiting = new Map()
  // Without the scope, ids stay ids.
  const { names } = await api.names([...batch.keys()]).catch(() => ({ names: [] as readonly Name[] }))
  const byId = new Map(names.map((name) => [name.id, name]))
  for (const [id, resolve] of batch) resolve(byId.get(id) ?? null)
}

/** An actor is the id behind its kind: `key:key_…`. */
function bareId(found: string): string {
  return found.replace(/^(?:key|run):/, '')
}

/** Replaces the ids of keys and runs by names, in texts such as these: an actor, a headline, a step of a story. */
export function useNames(texts: readonly string[]): (text: string) => string {
  const ids = [...new Set(texts.flatMap((text) => [...text.matchAll(idPattern)].map(([found]) => bareId(found))))]
  const names = useQueries({
    queries: ids.map((id) => ({ queryKey: ['name', id], queryFn: () => loadName(id), staleTime: 10 * 60_000 })),
    combine: (results) => new Map(results.flatMap(({ data }) => (data ? [[data.id, data] as const] : []))),
  })
  return (text) =>
    text.replaceAll(idPattern, (found, kind: 'key' | 'run') => {
      const named = names.get(bareId(found))
      if (named === undefined) return found
      if (kind === 'key') return named.createdAt === undefined ? named.name : `the key “${named.name}”`
      const { createdAt } = named
      const run = createdAt === undefined ? named.name : `${named.name}, ${started.format(new Date(createdAt))}`
      return found.startsWith('run:') ? `the run ${run}` : run
    })
}

/** A text with names instead of ids. The ids are in its title. */
export function Named({ text, className }: { readonly text: string; readonly className?: string }) {
  const name = useNames([text])
  return (
    <span title={text} className={className}>
      {name(text)}
    </span>
  )
}
