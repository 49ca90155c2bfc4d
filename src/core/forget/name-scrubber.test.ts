import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgottenMark, nameScrubber } from './name-scrubber.ts'

test('a name is replaced where it is a word, in any case and Unicode form, and nowhere else', () => {
  const { scrub, isNamed } = nameScrubber(['ada', 'subject:ada'])
  assert.equal(scrub("Ada's laptop in Canada"), "[FORGOTTEN]'s laptop in Canada")
  assert.equal(scrub('reads subject:ada, then ADA'), 'reads [FORGOTTEN], then [FORGOTTEN]')
  assert.equal(scrub('ada'), forgottenMark)
  assert.equal(scrub('Canada'), 'Canada')
  assert.equal(isNamed('Canada'), false)
  const jose = nameScrubber(['jose\u0301'])
  assert.equal(jose.scrub('about Jos\u00e9 (work)'), 'about [FORGOTTEN] (work)')
  const wide = nameScrubber(['anna'])
  assert.equal(wide.scrub('ＡＮＮＡ said so'), forgottenMark, 'a compatibility form has no place in the text')
})

test('a name of other letters than words have is found too, and patterns in a name mean nothing', () => {
  assert.equal(
    nameScrubber(['a.b+c@x.y']).scrub('mail a.b+c@x.y now, not aXb+c@x.y'),
    'mail [FORGOTTEN] now, not aXb+c@x.y',
  )
  assert.equal(nameScrubber(['田中太郎']).scrub('これは田中太郎の鍵'), 'これは[FORGOTTEN]の鍵')
  assert.equal(nameScrubber(['$&-{1}']).scrub('key of $&-{1}!'), 'key of [FORGOTTEN]!')
})

test('a short name counts as a whole text only, the ref of another person is no mention, and the mark itself is no name', () => {
  assert.equal(nameScrubber(['al']).scrub('al and Al'), 'al and Al')
  assert.equal(nameScrubber(['al']).scrub('al'), forgottenMark)
  const { scrub } = nameScrubber(['ada', 'subject:ada'])
  assert.equal(scrub('subject:ada'), forgottenMark)
  for (const other of ['subject:ada@example.org', 'archive:subject:ada-b']) assert.equal(scrub(other), other)
  const odd = nameScrubber(['forgotten'])
  assert.equal(odd.scrub('I have forgotten'), 'I have [FORGOTTEN]')
  assert.equal(odd.isNamed(odd.scrub('I have forgotten')), false)
})
