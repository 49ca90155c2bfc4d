import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

/**
 * Holds code, console, docs and test titles to the words of docs/GLOSSARY.md. Run it alone with
 * `npm test -- tidy/words`: it prints file:line of every finding, and a count per folder.
 */

/** Words that were replaced, and what to write instead. They are compared with names split at their capitals: `heldLeg` is "held leg". */
const replaced: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\b(re)?(tells?|telling|told|tellers?)\b/, 'sends, states, ingests, reports, notifies, shows; source, writer'],
  [/\b(some|no|every|any)body\b|\b(someone|whoever)\b/, 'the actor: client, caller, worker, process, operator'],
  [/\bknock(s|ed|ing)?\b/, 'authenticate'],
  [/\b(at|opened|the|one|own) doors?\b/, 'authentication, the redaction chokepoint'],
  [/\bhears? neighbours\b|\bhttp\/neighbours\b|\b(exchange asks|tenant asking)\b/, 'share tenant activity'],
  [/\blegs?\b/, 'run execution'],
  [/\b(bury|buries|buried)\b|\bhopeless\b|\bhold to end\b/, 'dead-letter, exhausted'],
  [/\bstrays?\b/, 'orphans'],
  [/\bmay not\b/, 'lacks the scope; is not allowed to; must not; might not'],
  [
    /\b(takes?|took|taken|taking) (it |them |node |everything )?in(?! (turn|order|account|mind|place|hand|the|a|one|full|its|their|parts?|use|batches|transactions?)\b)\b/,
    'processes, applies, ingests',
  ],
  [/\b(in )?doubt(s|ed|ful)?\b/, 'unknown outcome'],
  [/\bstretch(es|ed)?\b/, 'segment (of a list), time slice (of work), surrounding messages'],
  [/\blanes?\b/, 'queue'],
  [/\bspoken rows?\b/, 'neighbour row'],
  [/\b(check held|check seen|standing of|commit somehow|stay awake|unless clean|known clocks?)\b/, 'see the glossary'],
]

/** Data of languages keeps its words. */
const isLanguageData = (file: string) =>
  /^src\/core\/(extract|commitments)\/languages\/|^src\/core\/search\/(everyday-words\/|thesaurus\/|irregular-forms|stop-words|stem)/.test(
    file,
  )

/** Names that are stored or on the wire keep their words too: a step of a colophon, a member of an MCP result, and a column of PostgreSQL. */
const withoutStoredNames = ({ file, text }: Line) =>
  text
    .replaceAll(/'told'|\btoldBy\b|^\s*told: [{(]|^\S+Z\s+\d+\s+told\b|`stretch`|`v2-lane-issuer-advertised`/g, '')
    .replaceAll(file.startsWith('src/adapters/postgres/') ? /\bstretch\b/g : /$^/g, '')
    // Version 2 of OpenWOP has the member `lane` of a subject.
    .replaceAll(file.startsWith('src/wires/openwop-v2/') ? /\blanes?\b/g : /$^/g, '')

type Line = { readonly file: string; readonly number: number; readonly text: string }

function linesOf(pattern: string, isWanted: (line: string) => boolean = () => true): Line[] {
  return globSync(pattern, { exclude: ['**/node_modules'] })
    .filter((file) => file !== 'test/tidy/words.test.ts' && !isLanguageData(file))
    .sort()
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map((text, index) => ({ file, number: index + 1, text }))
        .filter(({ text }) => isWanted(text)),
    )
}

const isTitle = (line: string) =>
  /^\s*(?:(?:await )?(?:test|it|describe|suite|property)(?:\.\w+)?|t\.test)\(/.test(line)

/** As words: names are split at capitals and underscores, so that they are found like prose. */
const asWords = (text: string) =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase()

function folderOf(file: string): string {
  const parts = file.split('/')
  return parts.length === 1 ? '.' : parts.slice(0, Math.min(parts.length - 1, parts[0] === 'src' ? 3 : 2)).join('/')
}

function countByFolder(files: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const file of files) counts.set(folderOf(file), (counts.get(folderOf(file)) ?? 0) + 1)
  return [...counts].map(([folder, count]) => `${String(count).padStart(5)}  ${folder}`).join('\n')
}

test('words that were replaced do not come back', () => {
  const lines = [
    ...linesOf('src/**/*.ts').filter(({ file }) => !file.endsWith('.test.ts')),
    ...linesOf('console/src/**/*.{ts,tsx,css}'),
    ...linesOf('{examples,scripts}/**/*.{ts,mjs,md}'),
    ...linesOf('docs/**/*.md'),
    ...linesOf('*.md'),
    ...linesOf('{src,test,console,conformance,prove,chaos,bench}/**/*.test.{ts,tsx}', isTitle),
  ]
  const found = lines.flatMap((line) => {
    const { file, number, text } = line
    const words = asWords(withoutStoredNames(line))
    return replaced.flatMap(([pattern, instead]) => {
      const [word] = pattern.exec(words) ?? []
      return word === undefined ? [] : [{ file, problem: `${file}:${number}: "${word}" (${instead}): ${text.trim()}` }]
    })
  })
  if (found.length === 0) return
  const list = found.map(({ problem }) => problem.slice(0, 240)).join('\n')
  assert.fail(`${list}\n\n${found.length} findings:\n${countByFolder(found.map(({ file }) => file))}`)
})

/**
 * The client is a package of its own (`colophon/client`): its types are the documents of the wires, and share the name of
 * what they show. So a name is unique among the files of the client, and among all others.
 */
const namespaceOf = (file: string) => (file.startsWith('src/client/') ? 'client' : 'engine')

test('every exported type has a name of its own', () => {
  const places = new Map<string, string[]>()
  for (const { file, number, text } of linesOf('src/**/*.ts')) {
    const name = /^export (?:declare )?(?:abstract )?(?:type|interface|class|enum) (\w+)/.exec(text)?.[1]
    if (name === undefined || file.endsWith('.test.ts')) continue
    const key = `${namespaceOf(file)} ${name}`
    places.set(key, [...(places.get(key) ?? []), `${file}:${number}`])
  }
  const repeated = [...places].filter(([, found]) => found.length > 1)
  assert.equal(repeated.map(([key, found]) => `${key.split(' ')[1]}: ${found.join(', ')}`).join('\n'), '')
})

/** The words that the glossary explains, in their order. A row may explain two: "header, trailer". */
function glossaryWords(): string[] {
  const rows = readFileSync('docs/GLOSSARY.md', 'utf8').matchAll(/^\| (?!word \|)([^|-][^|]*?) \|/gm)
  return [...rows].flatMap(([, words = '']) => words.split(', '))
}

test('the glossary has a row for each word, and one only', () => {
  const words = glossaryWords()
  assert.ok(words.length > 150, `${words.length} words were found`)
  assert.deepEqual(
    words.filter((word, index) => words.indexOf(word) !== index),
    [],
  )
})
