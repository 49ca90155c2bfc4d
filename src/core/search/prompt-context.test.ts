import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Trust, trustClasses } from '../entries/trust.ts'
import { type ContextFormat, type ContextItem, promptContextInSteps, toPromptContext } from './prompt-context.ts'
import { countTokens } from './token-budget.ts'

const formats: readonly ContextFormat[] = ['bullets', 'json', 'xml']
const hostile = [
  '\n',
  '\r\n',
  '\u2028',
  '</memory>',
  '</memories>',
  '"',
  '- [m9] ',
  '<|im_start|>',
  '```',
  '\u202e',
  '&',
]
const content = fc
  .array(
    fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom(...hostile), fc.string({ unit: 'binary', maxLength: 4 })),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((parts) => parts.join('').toWellFormed())
const items = fc
  .array(
    fc.record({ content, category: fc.constantFrom('fact', 'preference'), trust: fc.constantFrom(...trustClasses) }),
    {
      maxLength: 8,
    },
  )
  .map((list) => list.map((item, at): ContextItem => ({ ...item, id: `m${at}`, observedAt: at * 86_400_000 })))
const budgets = fc.integer({ min: 1, max: 200 })

test('a prompt text never exceeds its token budget, and is empty only when nothing fits', () => {
  fc.assert(
    fc.property(items, fc.constantFrom(...formats), budgets, (list, format, budget) => {
      const { text, tokens, ids } = toPromptContext(list, format, budget)
      assert.ok(tokens <= budget)
      assert.equal(tokens, countTokens(text))
      assert.equal(ids.length === 0, text === '')
    }),
    { numRuns: 300 },
  )
})

test('the memories in a prompt text are a prefix of those that fit alone and are no near-duplicates', () => {
  fc.assert(
    fc.property(items, fc.constantFrom(...formats), budgets, (list, format, budget) => {
      const taken = toPromptContext(list, format, budget).ids
      const fitting = list.filter((item) => toPromptContext([item], format, budget).ids.length === 1)
      const unlimited = toPromptContext(fitting, format, 1_000_000).ids
      assert.deepEqual(taken, unlimited.slice(0, taken.length))
      const next = unlimited[taken.length]
      if (next === undefined) return
      const more = fitting.filter(({ id }) => taken.includes(id) || id === next)
      assert.ok(countTokens(toPromptContext(more, format, 1_000_000).text) > budget, 'nothing that fits is left out')
    }),
    { numRuns: 300 },
  )
})

test('a memory with any text stays inside its own line, value or element', () => {
  fc.assert(
    fc.property(items, (list) => {
      const bullets = toPromptContext(list, 'bullets', 100_000)
      const lines = bullets.text === '' ? [] : bullets.text.split(/[\r\n\u2028\u2029\u0085\v\f]/).slice(1)
      const grouped = (ids: readonly string[]) =>
        [...trustClasses].reverse().flatMap((trust) => ids.filter((id) => list[Number(id.slice(1))]?.trust === trust))
      const headings = lines.filter((line) => !line.startsWith('- ['))
      assert.equal(headings.length, new Set(bullets.ids.map((id) => list[Number(id.slice(1))]?.trust)).size)
      assert.deepEqual(
        lines.flatMap((line) => /^- \[(m\d+)\] \(1970-01-\d\d\) /.exec(`${line} `)?.[1] ?? []),
        grouped(bullets.ids),
      )
      assert.equal(lines.length, headings.length + bullets.ids.length)
      assert.ok(!/[<>]|```/.test(bullets.text))
      const json = toPromptContext(list, 'json', 100_000)
      const parsed = json.text === '' ? [] : JSON.parse(json.text).memories
      assert.deepEqual(
        parsed.map(({ id }: { id: string }) => id),
        grouped(json.ids),
      )
      assert.ok(!/[<>]/.test(json.text))
      const xml = toPromptContext(list, 'xml', 100_000).text
      assert.equal(xml.match(/<\/memory>/g)?.length ?? 0, json.ids.length)
      assert.equal(xml.match(/<[^>]*>/g)?.length ?? 0, xml === '' ? 0 : 2 + 2 * json.ids.length)
    }),
    { numRuns: 200 },
  )
})

test('near-duplicates of a better memory are left out, unless they differ in a number or a negation', () => {
  const idsOf = (...contents: string[]) =>
    toPromptContext(
      contents.map((content, at) => ({ id: `m${at}`, content, category: 'fact' })),
      'bullets',
      10_000,
    ).ids
  assert.deepEqual(idsOf('Ana lives in Oslo now.', 'ana lives in Oslo, now!', 'Ana lives in Bergen.'), ['m0', 'm2'])
  assert.deepEqual(idsOf('The code of the old back door is 12', 'The code of the old back door is 13'), ['m0', 'm1'])
  const long = 'Ana would like to sit by the window in the train to the coast'
  assert.deepEqual(idsOf(long, long.replace('would', 'would not')), ['m0', 'm1'])
})

test('memories are grouped by class, and those below service are marked', () => {
  const list = trustClasses.map(
    (trust): ContextItem => ({ id: trust, content: `Likes ${trust} tea`, category: 'fact', trust }),
  )
  const { text } = toPromptContext(list, 'bullets', 1_000)
  assert.deepEqual(text.split('\n').slice(1), [
    'Verified:',
    '- [verified] Likes verified tea',
    'Stated by services:',
    '- [service] Likes service tea',
    'Unverified (stated by agents):',
    '- [agent] Likes agent tea',
    'Untrusted (from tools, web pages or imports):',
    '- [untrusted] Likes untrusted tea',
  ])
  const marks = ['verified', 'service', 'unverified', 'untrusted']
  const json = JSON.parse(toPromptContext(list, 'json', 1_000).text)
  assert.deepEqual(
    json.memories.map(({ trust }: { trust: string }) => trust),
    marks,
  )
  const xml = toPromptContext(list, 'xml', 1_000).text
  assert.deepEqual(
    [...xml.matchAll(/ trust="(\w+)"/g)].map(([, mark]) => mark),
    marks,
  )
})

test('an untrusted memory does not replace a trusted near-duplicate', () => {
  const item = (trust: Trust, id: string): ContextItem => ({
    id,
    content: 'Ana lives in Oslo now.',
    category: 'fact',
    trust,
  })
  assert.deepEqual(toPromptContext([item('untrusted', 'a'), item('agent', 'b')], 'bullets', 1_000).ids, ['a', 'b'])
  assert.deepEqual(toPromptContext([item('agent', 'a'), item('untrusted', 'b')], 'bullets', 1_000).ids, ['a'])
})

test('invisible characters are removed from prompt texts', () => {
  const hidden = 'tea\u{E0041}\u{E0042}\u200b please\u202e'
  for (const format of formats) {
    const { text } = toPromptContext([{ id: 'm0', content: hidden, category: 'fact' }], format, 1_000)
    assert.ok(text.includes('tea please') && !/[\u200b\u202e\u{E0041}]/u.test(text))
  }
})

test('what is always included comes first, is marked, and takes at most its part of the budget', () => {
  const some = fc.array(fc.boolean(), { minLength: 8, maxLength: 8 })
  fc.assert(
    fc.property(items, some, fc.constantFrom(...formats), budgets, (list, marks, format, budget) => {
      const marked = list.map((item, at) => ({ ...item, isAlwaysIncluded: marks[at] ?? false }))
      const { ids, leftOut, text } = toPromptContext(marked, format, budget)
      const isMarked = (id: string) => marked[Number(id.slice(1))]?.isAlwaysIncluded ?? false
      const first = ids.filter(isMarked)
      assert.deepEqual(ids.slice(0, first.length), first, 'matches come after')
      const alone = marked.filter(({ id }) => first.includes(id))
      assert.ok(countTokens(toPromptContext(alone, format, 1_000_000).text) <= budget / 2)
      assert.deepEqual([...ids, ...leftOut.map(({ id }) => id)].sort(), marked.map(({ id }) => id).sort())
      const mark = { bullets: /^Always included\. /m, json: /"always_included":true/, xml: / always_included="true"/ }[
        format
      ]
      assert.equal(mark.test(text), first.length > 0)
    }),
    { numRuns: 200 },
  )
})

test('a marked memory that does not fit leaves its place to the next marked one, and says why', () => {
  const item = (id: string, content: string, isAlwaysIncluded = true) => ({
    id,
    content,
    category: 'fact',
    isAlwaysIncluded,
  })
  const list = [
    item('a', 'Short fact'),
    item('b', 'word '.repeat(80)),
    item('c', 'Another one'),
    item('d', 'short fact!', false),
  ]
  const { ids, leftOut } = toPromptContext(list, 'bullets', 90)
  assert.deepEqual(ids, ['a', 'c'])
  assert.deepEqual(leftOut, [
    { id: 'b', reason: 'over_always_include_share' },
    { id: 'd', reason: 'near_duplicate' },
  ])
})

test('a prompt text is made in steps, one for each memory', () => {
  const list = Array.from({ length: 30 }, (_, at) => ({ id: `m${at}`, content: `Tea number ${at}.`, category: 'fact' }))
  const steps = promptContextInSteps(list, 'bullets', 500)
  let taken = 0
  let step = steps.next()
  for (; !step.done; step = steps.next()) taken += 1
  assert.equal(taken, list.length)
  assert.deepEqual(step.value, toPromptContext(list, 'bullets', 500))
})
