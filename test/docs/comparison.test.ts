import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

/** The table in the README that compares products has only figures of docs/PROOF.md, which a program measures. */

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8')

type Table = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The first table whose head begins with this cell: for each row, its cells by column. */
function tableOf(file: string, firstCell: string): Table {
  const [, table = ''] = new RegExp(`^(\\| ${firstCell} \\|.*?)\\n\\n`, 'ms').exec(`${read(file)}\n\n`) ?? []
  const [head = [], , ...rows] = table.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  return Object.fromEntries(
    rows.map(([name = '', ...cells]) => [
      name,
      Object.fromEntries(cells.map((cell, index) => [head[index + 1] ?? '', cell])),
    ]),
  )
}

test('the README compares products by the figures of PROOF.md', () => {
  const proof = tableOf('docs/PROOF.md', 'figures as they should be')
  const readme = tableOf('README.md', 'property')
  assert.deepEqual(Object.keys(readme), Object.keys(proof))
  for (const [property, cells] of Object.entries(readme)) {
    assert.ok(Object.keys(cells).length > 1)
    for (const [product, figure] of Object.entries(cells))
      assert.equal(figure === '–' ? 'not offered' : figure, proof[property]?.[product], `${property}, ${product}`)
  }
})
