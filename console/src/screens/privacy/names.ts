import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import type { TenantSearchAnswer } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'

/** Names that the tenant has for what is typed, to complete it. A kind that cannot be searched has none. */
export function useNames(kind: string, typed: string): readonly string[] {
  const wanted = useDeferredValue(typed.trim())
  const find = finders[kind]
  const found = useQuery({
    queryKey: ['names', kind, wanted],
    queryFn: ({ signal }) => find?.(wanted, signal) ?? [],
    enabled: find !== undefined && wanted !== '',
    placeholderData: (before) => before,
  })
  return found.data ?? []
}

type Finder = (wanted: string, signal: AbortSignal) => Promise<readonly string[]>

const subjectPrefix = 'subject:'

const finders: Readonly<Record<string, Finder>> = {
  subject: async (wanted, signal) => {
    const { refs = [], claims = [], memories = [] } = await search(wanted, ['refs', 'claims', 'memories'], signal)
    const ofRefs = [...refs, ...memories].flatMap(({ memoryRef }) =>
      memoryRef.startsWith(subjectPrefix) ? [memoryRef.slice(subjectPrefix.length)] : [],
    )
    const names = [...ofRefs, ...claims.map(({ subject }) => subject)]
    return unique(names.filter((name) => name.toLowerCase().includes(wanted.toLowerCase())))
  },
  memoryRef: async (wanted, signal) => {
    const { refs = [] } = await search(wanted, ['refs'], signal)
    return unique(refs.map(({ memoryRef }) => memoryRef))
  },
  writer: async (wanted, signal) => {
    const writers = await api.writers.list({}, { signal })
    return writers.data
      .map(({ service_key }) => service_key)
      .filter((name) => name.toLowerCase().includes(wanted.toLowerCase()))
  },
  runId: async (wanted, signal) => {
    const { runs = [] } = await search(wanted, ['runs'], signal)
    return runs.map(({ runId }) => runId)
  },
  sourceEvent: async (wanted, signal) => {
    const { sources = [] } = await search(wanted, ['sources'], signal)
    return sources.map(({ id }) => id)
  },
}

type Kind = 'refs' | 'claims' | 'memories' | 'runs' | 'sources'

function search(wanted: string, kinds: Kind[], signal: AbortSignal): Promise<TenantSearchAnswer> {
  return api.memory.searchAll(wanted, { kinds, limit: 8, trustMin: 'untrusted' }, { signal })
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)]
}
