import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

test('the table of ASI06 names tests that exist, for every row that is done', () => {
  const page = readFileSync('docs/guides/security.md', 'utf8')
  const section = page.slice(page.indexOf('(OWASP ASI06)'), page.indexOf('## What you must do'))
  const rows = section.split('\n').filter((line) => /^\| (?!asked|---)/.test(line) && !line.startsWith('|---'))
  assert.ok(rows.length >= 14, `${rows.length} rows`)
  for (const row of rows) {
    const [, , here = '', shownBy = ''] = row.split('|')
    const files = [...shownBy.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file)
    assert.deepEqual(
      files.filter((file) => !existsSync(file)),
      [],
    )
    assert.ok(files.length > 0 || here.includes('**not done**'), row)
  }
})
