import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutMarkup } from './markup.ts'

test('marks inside of addresses, names, paths and formulas stay', () => {
  for (const text of [
    'My address is first_last@x_y.com.',
    'My time zone is America/New_York, not Europe/Isle_of_Man.',
    'I keep it in /srv/ada/_drafts/my_file and in __init__.py, not in __main__.',
    'I use snake_case, MAX_VALUE, _private and other_names.',
    '2*3*4 is 24, 2 * 3 * 4 too, and a**b**c is a power.',
    'I search for *.ts, src/** and test/*.',
    'It takes ~5 minutes from ~/work to ~/home, or a~~b.',
    'I write C# and F#, ticket #12_3, a>b and x->y.',
    'A note* and another note*.',
    'The handle is @_ada_l and the tag is #to_do.',
  ])
    assert.equal(withoutMarkup(text), text)
})

test('emphasis and the marks of code are removed around words', () => {
  for (const [text, plain] of [
    ['I *really* love **dark mode**.', 'I really love dark mode.'],
    ['I _really_ love __dark mode__, ***both*** and **_both_**!', 'I really love dark mode, both and both!'],
    ['**I live in Turin.**', 'I live in Turin.'],
    ['My editor is `vim_9`, and **my shell is `a*b*c`**.', 'My editor is vim_9, and my shell is a*b*c.'],
    ['I prefer (*strongly*) "_tea_".', 'I prefer (strongly) "tea".'],
    ['I live in ~~Rome~~ Turin.', 'I live in  Turin.'],
    ['My file is `__init__.py`.', 'My file is __init__.py.'],
    ['My address is *first_last@x_y.com*.', 'My address is first_last@x_y.com.'],
  ])
    assert.equal(withoutMarkup(text as string), plain)
})

test('a message cannot name a code span of another place', () => {
  assert.equal(withoutMarkup('\uE0000\uE001 and `code`'), '0 and code')
})

test('a row of marks stays, and what stands beside it is read', () => {
  assert.equal(withoutMarkup('Name: ________ and *tea* ******** _here_'), 'Name: ________ and tea ******** here')
})

test('marks that are never closed take linear time', { timeout: 20_000 }, () => {
  for (const mark of ['*', '_', '**', '__', '~', '**_'])
    assert.equal(typeof withoutMarkup(mark.repeat(500_000)), 'string')
  for (const seed of ['*a ', '**a', '_a ', '*.', '`a', '~~a ', '*_', '__a '])
    assert.equal(typeof withoutMarkup(seed.repeat(30_000)), 'string')
})
