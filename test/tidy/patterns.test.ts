import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

/** The folders whose patterns read the text of tasks, memories and models. */
const folders = 'src/core/{agents,run,consolidation}'

const literal = /(?<=[(=:,[&|?]\s*|\n\s*)\/(?![/*])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/[a-z]*/g
const atom = String.raw`(?:\\[pP]\{[^}]*\}|\\u\{?\w+\}?|\\.|\[(?:\\.|[^\]\\])*\]|[^\\[\](){}*+?|^$])`
const optional = new RegExp(
  String.raw`\(\?<?[=!](?:\\.|\[(?:\\.|[^\]\\])*\]|[^()\\[])*\)|\((?:\?:)?(?:\\.|\[(?:\\.|[^\]\\])*\]|[^()\\[])*\)[?*]\??|${atom}\?|\\b`,
  'gu',
)
const adjacent = new RegExp(`(${atom})[*+]\\??(?=[(]*(?:\\?:)?(${atom})[*+])`, 'gu')
const characters = Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code))

/** Two repetitions that accept the same character, with nothing required between them: their time is at least quadratic. */
function overlaps(source: string): string[] {
  let plain = source
  for (let before = ''; before !== plain; ) {
    before = plain
    plain = plain.replaceAll(optional, '')
  }
  return [...plain.matchAll(adjacent)].flatMap(([, a = '', b = '']) => {
    const [one, other] = [new RegExp(`^(?:${a})$`, 'iu'), new RegExp(`^(?:${b})$`, 'iu')]
    return characters.some((character) => one.test(character) && other.test(character)) ? [`${a} ${b}`] : []
  })
}

/** A repetition that may begin anywhere and must reach the end is tried from every place. */
function restarts(source: string): boolean {
  return source.endsWith('$') && new RegExp(`^${atom}[*+]`, 'u').test(source)
}

test('the check knows patterns that take too long', () => {
  const slow = String.raw`^\s*(?:remember)\b\s*[:,]?\s*(?:(?:that|dass)\b\s*)?[:,]?\s*(?<=[\s:,])(\S[\s\S]*)$`
  assert.notDeepEqual(overlaps(slow), [])
  assert.notDeepEqual(overlaps(String.raw`^\d+[,.]?\d*$`), [])
  assert.deepEqual(overlaps(String.raw`^\s*(\S+)$`), [])
  assert.deepEqual([restarts('[.!?]+["]*$'), restarts(String.raw`^\s+$`)], [true, false])
})

test('no pattern on a stored text or a request is tried again from every place of a run', () => {
  // Sentences are short. What the command line and settings read is the operator's own.
  for (const file of globSync('src/{core,app,wires,http,nodes}/**/*.ts')) {
    if (file.endsWith('.test.ts') || file.startsWith('src/core/extract/languages/')) continue
    for (const [whole, source = ''] of readFileSync(file, 'utf8').matchAll(literal))
      assert.ok(!restarts(source), `${file}: ${whole} begins with a repetition and ends with $`)
  }
})

test('patterns on the text of tasks, memories and models have no repetitions that compete', () => {
  let patterns = 0
  for (const file of globSync(`${folders}/**/*.ts`)) {
    if (file.endsWith('.test.ts')) continue
    for (const [whole, source = ''] of readFileSync(file, 'utf8').matchAll(literal)) {
      patterns += 1
      assert.deepEqual(overlaps(source), [], `${file}: ${whole}`)
      assert.ok(!restarts(source), `${file}: ${whole} begins with a repetition and ends with $`)
    }
  }
  assert.ok(patterns > 10, `${patterns} patterns were found`)
})
