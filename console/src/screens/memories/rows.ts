import type { EntryPage, MemoryPage } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'

const subjectPrefix = 'subject:'
const pageSize = 50

/** One row of the list, from either API. */
export type Row = {
  readonly id: string
  readonly content: string
  readonly tags: readonly string[]
  readonly createdAt: string
  readonly expiresAt?: string | undefined
  readonly category?: string | undefined
  readonly status?: 'active' | 'superseded' | 'archived' | 'contained' | undefined
  readonly service?: string | undefined
  readonly sources?: number | undefined
}

export type RowPage = { readonly rows: readonly Row[]; readonly cursor?: string | undefined }

export type RowQuery = {
  readonly memoryRef: string
  readonly tag?: string | undefined
  readonly category?: string | undefined
  readonly status?: string | undefined
  readonly asOf?: string | undefined
  readonly cursor?: string | undefined
}

/** The refs of subjects have memories with sources; other refs have plain entries. Only entries can be filtered by tag. */
export async function fetchRows(query: RowQuery, signal: AbortSignal): Promise<RowPage> {
  const { memoryRef, tag, category, status, asOf, cursor } = query
  if (memoryRef.startsWith(subjectPrefix) && tag === undefined) {
    const page = await api.memories.list(
      {
        external_user_id: memoryRef.slice(subjectPrefix.length),
        limit: pageSize,
        cursor,
        as_of: asOf,
        ...(category === undefined ? {} : { categories: [category] }),
        ...(status === 'all' ? { include_superseded: true } : {}),
      },
      { signal },
    )
    return { rows: page.data.map(fromMemory), cursor: page.cursor }
  }
  const page = await api.memory.list(memoryRef, { limit: pageSize, tag, asOf, cursor }, { signal })
  return { rows: page.entries.map(fromEntry), cursor: page.cursor }
}

function fromMemory(memory: MemoryPage['data'][number]): Row {
  const { id, content, tags, created_at, expires_at, category, status, provenance, sources } = memory
  const service = provenance?.service
  return { id, content, tags, createdAt: created_at, expiresAt: expires_at, category, status, service, sources }
}

function fromEntry({ id, content, tags, createdAt, expiresAt }: EntryPage['entries'][number]): Row {
  const service = tags.find((tag) => tag.startsWith('source:service:'))?.slice('source:service:'.length)
  return { id, content, tags, createdAt, expiresAt, service }
}
