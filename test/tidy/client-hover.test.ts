import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

/** The members of the object that a function of the client returns, each with the line above it. */
function* returnedMembers(file: string): Generator<{ readonly name: string; readonly above: string }> {
  const text = readFileSync(file, 'utf8')
  for (const [, body = ''] of text.matchAll(/^export function \w+Calls\(.*?^ {2}return \{\n(.*?)^ {2}\}$/gms)) {
    const lines = body.split('\n')
    for (const [at, line] of lines.entries()) {
      const name = /^ {4}(?:async \*?)?(\w+)[,:(]/.exec(line)?.[1]
      if (name !== undefined) yield { name, above: lines[at - 1] ?? '' }
    }
  }
}

test('every public method of the client has a text that editors show', () => {
  const files = globSync('src/client/*.ts').filter((path) => !path.endsWith('.test.ts'))
  const members = files.flatMap((file) => [...returnedMembers(file)].map((member) => ({ file, ...member })))
  assert.ok(members.length > 100, `${members.length} methods were found`)
  const missing = members.filter(({ above }) => !above.endsWith('*/'))
  assert.deepEqual(
    missing.map(({ file, name }) => `${file}: ${name}`),
    [],
  )
})
