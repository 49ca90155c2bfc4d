import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { NameList } from '../../../src/client/index.ts'
import { classNames } from '../ui/class-names.ts'
import { api } from './api.ts'

type Name = NameList['names'][number]

const idPattern =
  /(?:key:|run:|interrupt:|forget:)?(key|run|fgt)_(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|bootstrap_b|bootstrap|local)/g
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
  return found.replace(/^(?:key|run|interrupt|forget):/, '')
}

/** Replaces the ids of keys, runs and forget requests by names, in texts such as these: an actor, a headline, a step of a story. */
export function useNames(texts: readonly string[]): (text: string) => string {
  const ids = [...new Set(texts.flatMap((text) => [...text.matchAll(idPattern)].map(([found]) => bareId(found))))]
  const names = useQueries({
    queries: ids.map((id) => ({ queryKey: ['name', id], queryFn: () => loadName(id), staleTime: 10 * 60_000 })),
    combine: (results) => new Map(results.flatMap(({ data }) => (data ? [[data.id, data] as const] : []))),
  })
  return (text) =>
    text.replaceAll(idPattern, (found, kind: 'key' | 'run' | 'fgt') => {
      const named = names.get(bareId(found))
      // Without the scope to read forget requests, the key that requested it is not shown.
      if (kind === 'fgt') return named === undefined ? 'Forget request' : `Forget request of the key “${named.name}”`
      if (named === undefined) return found
      if (kind === 'key') return named.createdAt === undefined ? named.name : `the key “${named.name}”`
      const { createdAt } = named
      const run = createdAt === undefined ? named.name : `${named.name}, ${started.format(new Date(createdAt))}`
      if (found.startsWith('interrupt:')) return `an answer to the run ${run}`
      return found.startsWith('run:') ? `the run ${run}` : run
    })
}

type NamedProps = {
  readonly text: string
  readonly className?: string
  /** Without a link, for a place inside a button or a summary. */
  readonly isPlain?: boolean
}

/** A text with names instead of ids. The ids are in its title. The actor of an erasure leads to its receipt. */
export function Named({ text, className, isPlain = false }: NamedProps) {
  const name = useNames([text])
  const forget = /^forget:(fgt_[0-9a-z-]+)$/.exec(text)?.[1]
  if (forget !== undefined && !isPlain)
    return (
      <Link to="/privacy" search={{ forget }} title={text} className={classNames(className, 'underline')}>
        {name(text)}
      </Link>
    )
  return (
    <span title={text} className={className}>
      {name(text)}
    </span>
  )
}
