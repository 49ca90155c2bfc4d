import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isKnownTag } from './etag.ts'

test('a tag is known when it is in the list, also as a weak tag, or when the list is a star', () => {
  const isKnown = (header: string | undefined) => isKnownTag(header, '"run_1.3"')
  for (const header of ['"run_1.3"', 'W/"run_1.3"', '"run_1.2", "run_1.3"', '"x" ,W/"run_1.3"', '*']) {
    assert.equal(isKnown(header), true, header)
  }
  for (const header of [undefined, '', '"run_1.2"', 'run_1.3', '"run_1.33"', '"RUN_1.3"']) {
    assert.equal(isKnown(header), false, header)
  }
})
