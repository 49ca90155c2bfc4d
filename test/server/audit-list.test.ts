import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { limits } from '../../src/core/limits.ts'
import { useServer } from '../support/server.ts'

const server = useServer()

test('pages of long audit records are short, and together they have every record once', async () => {
  const entries = '/v1/host/colophon/memory/notes/entries'
  for (let n = 0; n < 5; n++) await server.call('POST', entries, { content: `Note ${n}.` })
  const longRecord = Math.round(limits.pageCharactersMax * 0.6)
  // As long as the record of a commit with thousands of entries.
  new Database(join(server.dataDir, 'colophon.db'))
    .exec(`update audit set body = body || printf('%${longRecord}s', '')`)
    .close()
  const sizes: number[] = []
  const positions: number[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { body } = await server.call('GET', `/v1/host/colophon/audit?limit=500${cursor && `&cursor=${cursor}`}`)
    const { records, head } = body
    positions.push(...records.map(({ position }: { position: number }) => position))
    sizes.push(records.length)
    cursor = body.cursor
    if (cursor === undefined) assert.equal(positions.at(-1), head.position)
  }
  assert.deepEqual(
    positions,
    positions.map((_, index) => index + 1),
  )
  // Two of the five long records reach the limit. Records that the server adds meanwhile are short.
  assert.ok(sizes.length >= 3, `pages of ${sizes}`)
})
