import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'

/** The models in docs/models, and the tests that mirror their rules. `npm run models` checks the models themselves. */

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, rule = '']) => rule)
const distinct = (rules: readonly string[]) => [...new Set(rules)].sort()

const models = globSync('docs/models/*.pml', { cwd: root }).map((file) => ({
  name: basename(file, '.pml'),
  text: read(file),
}))
const rulesOf = (text: string) => distinct(found(text, /assert\(.*\) \/\* rule: (\S+) \*\/$/gm))
const rules = models.flatMap(({ text }) => rulesOf(text))

test('every rule of a model has a planted fault, and every fault has a switch', () => {
  assert.deepEqual(models.map(({ name }) => name).sort(), ['authority', 'commit', 'fence', 'lease', 'trust'])
  for (const { name, text } of models) {
    assert.deepEqual(distinct(found(text, /^ \* fault: \w+ breaks (\S+)$/gm)), rulesOf(text), name)
    assert.ok(
      rulesOf(text).every((rule) => rule.startsWith(`${name}.`)),
      name,
    )
    const declared = found(text, /^ \* fault: (\w+) breaks/gm)
    assert.deepEqual(distinct(found(text, /\bFAULT_(\w+)/g)), distinct(declared), name)
    assert.equal(
      text.match(/assert\(/g)?.length,
      text.match(/assert\(.*\) \/\* rule: /g)?.length,
      `${name}: an assertion has a rule`,
    )
  }
})

test('every rule of a model is mirrored by a test, and tests name no other rule', () => {
  const files = ['src/**/*.test.ts', 'test/**/*.ts'].flatMap((pattern) => globSync(pattern, { cwd: root }))
  const named = distinct(files.flatMap((file) => found(read(file), /^\s*\/\/ Model rule: (\S+)$/gm)))
  assert.deepEqual(
    named.filter((rule) => !rules.includes(rule)),
    [],
    'rules without a model',
  )
  assert.deepEqual(
    rules.filter((rule) => !named.includes(rule)),
    [],
    'rules without a test',
  )
})
