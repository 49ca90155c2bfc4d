import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { readMigrations } from '../../src/adapters/sql/migrations.ts'
import { createFolder } from '../support/temporary-folder.ts'

const folder = createFolder()
after(() => folder.remove())

function folderWith(name: string, files: Readonly<Record<string, string>>): URL {
  mkdirSync(folder.file(name))
  for (const [file, text] of Object.entries(files)) writeFileSync(folder.file(`${name}/${file}`), text)
  return pathToFileURL(`${folder.file(name)}/`)
}

describe('migration files', () => {
  test('are read in the order of their numbers', () => {
    const read = readMigrations(folderWith('ordered', { '0002-b.sql': 'b', 'README.md': '', '0001-a.sql': 'a' }))
    assert.deepEqual(
      read.map(({ number, name, sql }) => [number, name, sql]),
      [
        [1, '0001-a', 'a'],
        [2, '0002-b', 'b'],
      ],
    )
  })

  test('are numbered without gaps', () => {
    const gap = folderWith('gap', { '0001-a.sql': '', '0003-c.sql': '' })
    assert.throws(() => readMigrations(gap), /0003-c\.sql is not number 2/)
    const twice = folderWith('twice', { '0001-a.sql': '', '0001-b.sql': '' })
    assert.throws(() => readMigrations(twice), /0001-b\.sql is not number 2/)
  })

  test('have a checksum that changes with every edit, but not with line endings', () => {
    const sums = ['a;\nb;\n', 'a;\r\nb;\r\n', 'a;\nb; \n'].map(
      (text, index) => readMigrations(folderWith(`sum-${index}`, { '0001-a.sql': text }))[0]?.checksum,
    )
    assert.equal(sums[0], sums[1])
    assert.notEqual(sums[0], sums[2])
  })
})
