import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

/** The two entries of the package that programs are written against. */
const entries = ['src/index.ts', 'src/client/index.ts']

type Declared = { readonly place: string; readonly kind: string; readonly comment: string }

/** The exported declarations of a file by name, each with the comment that ends right above it. */
function declarationsOf(file: string): Map<string, Declared> {
  const text = readFileSync(file, 'utf8')
  const found = text.matchAll(
    /^(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export (?:declare )?(?:abstract |async )?(type|interface|class|function|const) (\w+)/gm,
  )
  return new Map(
    [...found].map(({ 1: comment = '', 2: kind = '', 3: name = '', index }) => {
      const line = text.slice(0, index + comment.length).split('\n').length
      return [name, { place: `${file}:${line}: ${name}`, kind, comment }]
    }),
  )
}

type Reexport = { readonly names: readonly string[]; readonly from: string }

function reexportsOf(file: string): Reexport[] {
  const found = readFileSync(file, 'utf8').matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)
  return [...found].map(([, names = '', from = '']) => ({
    names: names
      .split(',')
      .map((name) => name.replace(/^\s*type\s/, '').trim())
      .filter((name) => name !== ''),
    from: join(dirname(file), from),
  }))
}

/** The declaration of an exported name, through any number of files that only pass it on. */
function findDeclaration(file: string, name: string): Declared {
  const declared = declarationsOf(file).get(name)
  if (declared) return declared
  const origin = reexportsOf(file).find(({ names }) => names.includes(name))
  return origin ? findDeclaration(origin.from, name) : { place: `${file}: ${name}`, kind: 'type', comment: '' }
}

/** What an entry exports: by name from another file, everything of another file, or declared by itself. */
function exportsOf(entry: string): Declared[] {
  const named = reexportsOf(entry).flatMap(({ names, from }) => names.map((name) => findDeclaration(from, name)))
  const whole = [...readFileSync(entry, 'utf8').matchAll(/^export (?:type )?\* from '([^']+)'/gm)]
  return [
    ...declarationsOf(entry).values(),
    ...named,
    ...whole.flatMap(([, from = '']) => [...declarationsOf(join(dirname(entry), from)).values()]),
  ]
}

const placesOf = (declared: readonly Declared[]) => declared.map(({ place }) => place).join('\n')

for (const entry of entries) {
  const declared = exportsOf(entry)

  test(`everything that ${entry} exports says what it is`, () => {
    assert.ok(declared.length > 20, `${declared.length} exports were found`)
    assert.equal(placesOf(declared.filter(({ comment }) => comment === '')), '')
  })

  test(`every function that ${entry} exports shows an example`, () => {
    const functions = declared.filter(({ kind }) => kind === 'function')
    assert.ok(functions.length > 1, `${functions.length} functions were found`)
    assert.equal(placesOf(functions.filter(({ comment }) => !comment.includes('@example'))), '')
  })
}
