import { basename } from 'node:path'
import type { SaidBy } from '../../core/provenance/said-by.ts'
import { messageSaidBy } from '../../integrations/mastra.ts'
import { type ForeignItem, type ForeignSource, instantOf, itemOf, objectOf, textOf, unreadable } from './source.ts'

/** Threads, messages and resources of Mastra, in the file of its libSQL storage. They become what `colophon/mastra` stores. */

const ref = 'mastra'
type Row = Readonly<Record<string, unknown>>

export async function openMastra(file: string): Promise<ForeignSource> {
  const { default: Database } = await import('better-sqlite3')
  const database = (() => {
    try {
      return new Database(file, { readonly: true, fileMustExist: true })
    } catch {
      throw unreadable(file)
    }
  })()
  const hasTable = database.prepare("select 1 from sqlite_master where type = 'table' and name = ?").pluck()
  if (hasTable.get('mastra_messages') === undefined || hasTable.get('mastra_threads') === undefined) {
    database.close()
    throw unreadable(`${file} has no tables mastra_threads and mastra_messages: it`)
  }
  const hasResources = hasTable.get('mastra_resources') !== undefined
  // One snapshot, so that what was checked is what is stored.
  database.exec('begin')
  return {
    service: ref,
    label: `the Mastra storage ${basename(file)}`,
    *items() {
      // Metadata is JSON as text or, in newer versions, in the binary form of SQLite.
      yield* each(
        database.prepare(
          'select id, resourceId, title, json(metadata) as metadata, createdAt, updatedAt from mastra_threads order by createdAt, id',
        ),
        toThread,
      )
      yield* each(
        database.prepare(
          'select id, thread_id as threadId, resourceId, content, role, type, createdAt from mastra_messages order by createdAt, id',
        ),
        toMessage,
      )
      if (hasResources)
        yield* each(
          database.prepare(
            'select id, workingMemory, json(metadata) as metadata, createdAt, updatedAt from mastra_resources order by createdAt, id',
          ),
          toResource,
        )
    },
    close: async () => void database.close(),
  }
}

type Statement = { all(): unknown[] }

function* each(statement: Statement, toItem: (row: Row) => ForeignItem): Generator<ForeignItem> {
  for (const row of statement.all()) yield toItem(row as Row)
}

function toThread(row: Row): ForeignItem {
  const id = String(row.id)
  return itemOf({ at: `thread ${id}`, kind: 'threads' }, () => {
    const resourceId = textOf(row.resourceId, 'resourceId')
    const value = { id, resourceId, title: row.title ?? '', ...metadataOf(row), ...timesOf(row) }
    const tags = ['threads', `threads-of:${resourceId}`]
    return { document: documentOf(`thread:${id}`, tags, value, { session_id: id }) }
  })
}

function toMessage(row: Row): ForeignItem {
  const id = String(row.id)
  return itemOf({ at: `message ${id}`, kind: 'messages' }, () => {
    const threadId = textOf(row.threadId, 'thread_id')
    const resourceId = typeof row.resourceId === 'string' ? row.resourceId : ''
    const owner = resourceId === '' ? {} : { resourceId }
    const content = contentOf(textOf(row.content, 'content'))
    const value = { id, threadId, ...owner, role: row.role, type: row.type, ...timesOf(row), content }
    const tags = ['messages', `messages-of:${threadId}`, `messages-by:${resourceId}`]
    const resource = resourceId === '' ? {} : { resource: resourceId }
    const scope = { session_id: threadId, ...resource, message: id }
    return { document: documentOf(`message:${id}`, tags, value, scope, messageSaidBy({ role: row.role, content })) }
  })
}

function toResource(row: Row): ForeignItem {
  const id = String(row.id)
  return itemOf({ at: `resource ${id}`, kind: 'resources' }, () => {
    const memory = typeof row.workingMemory === 'string' ? { workingMemory: row.workingMemory } : {}
    const value = { id, ...memory, ...metadataOf(row), ...timesOf(row) }
    return { document: documentOf(`resource:${id}`, ['resources'], value, { resource: id }) }
  })
}

function documentOf(
  name: string,
  tags: readonly string[],
  value: { readonly createdAt?: string; readonly updatedAt?: string },
  scope: Readonly<Record<string, unknown>>,
  by: SaidBy = 'model',
) {
  return { ref, name, tags, value, by, observedAt: value.updatedAt ?? value.createdAt, scope }
}

function timesOf({ createdAt, updatedAt }: Row) {
  const created = instantOf(createdAt, 'createdAt')
  const updated = instantOf(updatedAt, 'updatedAt')
  return {
    ...(created === undefined ? {} : { createdAt: created }),
    ...(updated === undefined ? {} : { updatedAt: updated }),
  }
}

function metadataOf({ metadata }: Row) {
  return typeof metadata === 'string' ? { metadata: objectOf(JSON.parse(metadata), 'metadata') } : {}
}

/** A message of an old version is a plain text. */
function contentOf(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
  } catch {}
  return { format: 2, parts: [{ type: 'text', text }] }
}
